import Contracts
import Postgres

/// Who was active when, by plain SQL over raw events: slow, obvious, and written apart from closing and reading.
///
/// Made anew for each state of the events, as temporary tables that the oracle's questions read:
/// `o_firsts` (unit, who, event_time, day), `o_sessions` (persons, installs, event_time, day, duration_ms), `o_days` (persons, installs, on_day) and
/// `o_spans` (persons, installs, from_time, until_time), each with the columns of the context that counts.
struct OracleTables {
    static let columns =
        "platform, os_name, os_version, app_version, device_model, device_type, country, city, locale"

    let app: Int32
    let environment: AppEnvironment
    let zone: String

    func make(_ connection: PostgresConnection) async throws {
        try await connection.script(people + sessions + activity)
    }

    private var c: String { Self.columns }

    /// Whose each event is, and when each person and install was first seen.
    private var people: String {
        """
        DROP TABLE IF EXISTS o_seen, o_firsts, o_openings, o_owned, o_sessions, o_days, o_spans;
        CREATE TEMP TABLE o_seen AS
        WITH raw AS (
            SELECT e.*, (e.event_time AT TIME ZONE '\(zone)')::date AS day, \(c)
            FROM events e JOIN contexts USING (context_no)
            WHERE e.app_no = \(app) AND e.environment = \(environment.code)
        ), owners AS (
            SELECT DISTINCT ON (install_no) install_no, user_no AS owner_no FROM raw WHERE user_no IS NOT NULL
            ORDER BY install_no, event_time, insert_id
        )
        SELECT raw.*, 'install ' || install_no AS installs,
               coalesce('user ' || user_no, 'user ' || owner_no, 'install ' || install_no) AS persons
        FROM raw LEFT JOIN owners USING (install_no);
        CREATE TEMP TABLE o_firsts AS
        (SELECT DISTINCT ON (persons) 'persons' AS unit, persons AS who, event_time, day, \(c)
         FROM o_seen ORDER BY persons, event_time, insert_id)
        UNION ALL
        (SELECT DISTINCT ON (installs) 'installs', installs, event_time, day, \(c)
         FROM o_seen ORDER BY installs, event_time, insert_id);
        """
    }

    /// A start opens a session unless another one of the id lies in the 25 hours before; ends belong to what they are nearest after.
    private var sessions: String {
        """
        CREATE TEMP TABLE o_openings AS
        SELECT * FROM o_seen s WHERE kind = 1 AND NOT EXISTS (
            SELECT FROM o_seen p WHERE p.kind = 1 AND p.session_id = s.session_id
              AND (p.event_time, p.insert_id) < (s.event_time, s.insert_id)
              AND s.event_time - p.event_time <= interval '25 hours');
        CREATE TEMP TABLE o_owned AS
        SELECT e.*, coalesce(
            (SELECT o.insert_id FROM o_openings o WHERE o.session_id = e.session_id
               AND o.event_time <= e.event_time AND e.event_time - o.event_time <= interval '25 hours'
             ORDER BY o.event_time DESC LIMIT 1),
            (SELECT o.insert_id FROM o_openings o WHERE o.session_id = e.session_id
               AND o.event_time > e.event_time AND o.event_time - e.event_time <= interval '25 hours'
             ORDER BY o.event_time LIMIT 1)) AS opened_by
        FROM o_seen e;
        CREATE TEMP TABLE o_sessions AS
        SELECT o.*, w.longest_ms, greatest(o.event_time, w.last_time) AS until_time
        FROM o_openings o
        JOIN (SELECT opened_by, max(duration_ms) AS longest_ms, max(event_time) AS last_time
              FROM o_owned GROUP BY opened_by) w ON w.opened_by = o.insert_id;
        """
    }

    /// A session from its start to its last event, in its own context; other events at their moment, in theirs.
    private var activity: String {
        """
        CREATE TEMP TABLE o_spans AS
        SELECT persons, installs, event_time AS from_time, until_time, \(c) FROM o_sessions
        UNION ALL
        SELECT w.persons, w.installs, w.event_time, w.event_time, \(Self.columns(of: "w"))
        FROM o_owned w LEFT JOIN o_sessions s ON s.insert_id = w.opened_by
        WHERE s.insert_id IS NULL OR s.day > w.day OR s.install_no <> w.install_no
           OR s.user_no IS DISTINCT FROM w.user_no;
        CREATE TEMP TABLE o_days AS
        SELECT persons, installs, on_day::date AS on_day, \(c)
        FROM o_spans, generate_series((from_time AT TIME ZONE '\(zone)')::date,
                                      (until_time AT TIME ZONE '\(zone)')::date, interval '1 day') on_day;
        """
    }

    private static func columns(of table: String) -> String {
        columns.split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }
}
