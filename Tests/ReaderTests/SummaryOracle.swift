import Calendar
import Contracts
import Postgres
import Schema

/// The figures of a summary by plain SQL over raw events: slow, obvious, and written apart from closing and reading.
struct SummaryOracle {
    struct Question: Sendable {
        var first: LocalDay
        var last: LocalDay
        var unit = "persons"
        /// Nil asks about every value; the empty text stands for "absent".
        var platforms: [String]?
        var appVersions: [String]?
    }

    struct Figures: Sendable, Equatable {
        var active: Int
        var new: Int
        var sessions: Int
        var averageDurationMs: Int64?
        var medianDurationMs: Int64?
    }

    let app: Int32
    let environment: AppEnvironment
    let zone: String

    func figures(_ question: Question, _ connection: PostgresConnection) async throws -> Figures? {
        let matches: SQL = """
            (\(question.platforms)::text[] IS NULL OR platform = ANY (\(question.platforms)::text[]))
            AND (\(question.appVersions)::text[] IS NULL
                OR coalesce(app_version, '') = ANY (\(question.appVersions)::text[]))
            """
        let within: SQL = "BETWEEN \(question.first)::date AND \(question.last)::date"
        let statement: SQL = """
            WITH \(people(unit: question.unit)), \(Self.sessions(zone: zone)), \(Self.activity)
            SELECT (SELECT count(DISTINCT person) FROM activity WHERE on_day \(within) AND \(matches)),
                   (SELECT count(*) FROM firsts WHERE day \(within) AND \(matches)),
                   count(*),
                   floor(avg(duration_ms) + 0.5)::bigint,
                   floor(percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) + 0.5)::bigint
            FROM sessions WHERE day \(within) AND \(matches)
            """
        return try await connection.first(statement) { row in
            Figures(
                active: try row.int(0),
                new: try row.int(1),
                sessions: try row.int(2),
                averageDurationMs: try row.optionalInt64(3),
                medianDurationMs: try row.optionalInt64(4)
            )
        }
    }

    /// Whose each event is, and when each person was first seen.
    private func people(unit: String) -> SQL {
        """
        raw AS (
            SELECT e.*, (e.event_time AT TIME ZONE \(zone)::text)::date AS day, c.platform, c.app_version
            FROM events e JOIN contexts c ON c.context_no = e.context_no
            WHERE e.app_no = \(app) AND e.environment = \(environment.code)
        ), owners AS (
            SELECT DISTINCT ON (install_no) install_no, user_no AS owner_no FROM raw WHERE user_no IS NOT NULL
            ORDER BY install_no, event_time, insert_id
        ), seen AS (
            SELECT raw.*, CASE WHEN \(unit)::text = 'installs' THEN 'install ' || install_no
                ELSE coalesce('user ' || user_no, 'user ' || owner_no, 'install ' || install_no) END AS person
            FROM raw LEFT JOIN owners USING (install_no)
        ), firsts AS (
            SELECT DISTINCT ON (person) person, day, platform, app_version FROM seen
            ORDER BY person, event_time, insert_id
        )
        """
    }

    /// A start opens a session unless another one of the id lies in the 25 hours before; ends belong to what they are nearest after.
    private static func sessions(zone: String) -> SQL {
        """
        openings AS (
            SELECT * FROM seen s WHERE kind = 1 AND NOT EXISTS (
                SELECT FROM seen p WHERE p.kind = 1 AND p.session_id = s.session_id
                  AND (p.event_time, p.insert_id) < (s.event_time, s.insert_id)
                  AND s.event_time - p.event_time <= interval '25 hours')
        ), owned AS (
            SELECT seen.*, coalesce(
                (SELECT o.insert_id FROM openings o WHERE o.session_id = seen.session_id
                   AND o.event_time <= seen.event_time AND seen.event_time - o.event_time <= interval '25 hours'
                 ORDER BY o.event_time DESC LIMIT 1),
                (SELECT o.insert_id FROM openings o WHERE o.session_id = seen.session_id
                   AND o.event_time > seen.event_time AND o.event_time - seen.event_time <= interval '25 hours'
                 ORDER BY o.event_time LIMIT 1)) AS opened_by
            FROM seen
        ), sessions AS (
            SELECT o.insert_id, o.person, o.install_no, o.user_no, o.day, o.platform, o.app_version,
                   max(w.duration_ms) AS duration_ms,
                   greatest(o.day, max((w.event_time AT TIME ZONE \(zone)::text)::date)) AS last_day
            FROM openings o JOIN owned w ON w.opened_by = o.insert_id
            GROUP BY o.insert_id, o.person, o.install_no, o.user_no, o.day, o.platform, o.app_version
        )
        """
    }

    /// Who was active on which day, and in which context: the session's, from its start to its end; otherwise the event's own.
    private static let activity: SQL = """
        activity AS (
            SELECT person, platform, app_version, on_day::date AS on_day
            FROM sessions, generate_series(day, last_day, interval '1 day') on_day
            UNION ALL
            SELECT w.person, w.platform, w.app_version, w.day
            FROM owned w LEFT JOIN sessions s ON s.insert_id = w.opened_by
            WHERE s.insert_id IS NULL OR s.day > w.day OR s.install_no <> w.install_no
               OR s.user_no IS DISTINCT FROM w.user_no
        )
        """
}
