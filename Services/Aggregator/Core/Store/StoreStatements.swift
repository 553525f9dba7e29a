import Calendar
import Contracts
import Postgres
import Schema

/// The statements that turn a staged batch into rows, in the order they run.
///
/// All of them work on sets: the cost of a statement is paid once for a batch. Each may be repeated with the same batch without changing
/// anything, because "first" is a minimum and rows meet their unique keys.
enum StoreStatements {
    /// Tables of the connection, emptied at each commit.
    static let staging = """
        CREATE TEMP TABLE IF NOT EXISTS staged (
            seq integer, app_no integer, environment smallint, kind smallint, event_time timestamptz,
            received_at timestamptz, client_time timestamptz, insert_id uuid, session_id uuid, install_id uuid,
            user_id text COLLATE "C", duration_ms integer, fingerprint uuid, day date
        ) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE IF NOT EXISTS staged_contexts (
            app_no integer, fingerprint uuid, platform text, os_name text, os_version text, app_version text,
            app_build text, device_model text, device_type text, locale text, country text, city text
        ) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE IF NOT EXISTS fresh (
            LIKE staged, context_no integer
        ) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE IF NOT EXISTS numbered (
            LIKE fresh, install_no integer, user_no integer
        ) ON COMMIT DELETE ROWS;
        """

    static let contexts: SQL = """
        INSERT INTO contexts (app_no, fingerprint, platform, os_name, os_version, app_version, app_build,
                              device_model, device_type, locale, country, city)
        SELECT * FROM staged_contexts s
        WHERE NOT EXISTS (
            SELECT FROM contexts c WHERE c.app_no = s.app_no AND c.fingerprint = s.fingerprint)
        ORDER BY s.app_no, s.fingerprint
        ON CONFLICT DO NOTHING
        """

    /// The events that are not stored yet, one of each insert id.
    static func fresh(in range: Range<Int64>) -> SQL {
        """
        INSERT INTO fresh
        SELECT DISTINCT ON (s.app_no, s.insert_id) s.*, c.context_no
        FROM staged s
        JOIN contexts c ON c.app_no = s.app_no AND c.fingerprint = s.fingerprint
        WHERE NOT EXISTS (
            SELECT FROM events e
            WHERE e.app_no = s.app_no AND e.insert_id = s.insert_id
              AND e.event_time >= \(PostgresTimestamp(ms: range.lowerBound))::timestamptz
              AND e.event_time < \(PostgresTimestamp(ms: range.upperBound))::timestamptz)
        ORDER BY s.app_no, s.insert_id, s.seq
        """
    }

    static let counters: SQL = """
        INSERT INTO number_counters (app_no, environment)
        SELECT DISTINCT app_no, environment FROM fresh ORDER BY 1, 2
        ON CONFLICT DO NOTHING
        """

    /// Whoever adds an install or user holds its counter until the commit; the next statements then see what others added.
    static let lockCounters: SQL = """
        SELECT c.app_no FROM number_counters c
        WHERE EXISTS (
            SELECT FROM fresh f
            WHERE f.app_no = c.app_no AND f.environment = c.environment
              AND (NOT EXISTS (
                    SELECT FROM installs i WHERE i.app_no = f.app_no AND i.environment = f.environment
                      AND i.install_id = f.install_id)
                OR f.user_id IS NOT NULL AND NOT EXISTS (
                    SELECT FROM users u WHERE u.app_no = f.app_no AND u.environment = f.environment
                      AND u.user_id = f.user_id)))
        ORDER BY c.app_no, c.environment
        FOR UPDATE
        """

    static let installs: SQL = """
        WITH missing AS (
            SELECT f.app_no, f.environment, f.install_id,
                   row_number() OVER (PARTITION BY f.app_no, f.environment ORDER BY min(f.seq)) AS position
            FROM fresh f
            WHERE NOT EXISTS (
                SELECT FROM installs i WHERE i.app_no = f.app_no AND i.environment = f.environment
                  AND i.install_id = f.install_id)
            GROUP BY f.app_no, f.environment, f.install_id
        ), counted AS (
            SELECT app_no, environment, count(*)::integer AS count FROM missing GROUP BY app_no, environment
        ), numbers AS (
            UPDATE number_counters c SET install_last = c.install_last + n.count FROM counted n
            WHERE c.app_no = n.app_no AND c.environment = n.environment
            RETURNING c.app_no, c.environment, c.install_last - n.count AS base
        )
        INSERT INTO installs (app_no, environment, install_id, install_no)
        SELECT m.app_no, m.environment, m.install_id, n.base + m.position
        FROM missing m JOIN numbers n ON n.app_no = m.app_no AND n.environment = m.environment
        """

    static let users: SQL = """
        WITH missing AS (
            SELECT f.app_no, f.environment, f.user_id,
                   row_number() OVER (PARTITION BY f.app_no, f.environment ORDER BY min(f.seq)) AS position
            FROM fresh f
            WHERE f.user_id IS NOT NULL AND NOT EXISTS (
                SELECT FROM users u WHERE u.app_no = f.app_no AND u.environment = f.environment
                  AND u.user_id = f.user_id)
            GROUP BY f.app_no, f.environment, f.user_id
        ), counted AS (
            SELECT app_no, environment, count(*)::integer AS count FROM missing GROUP BY app_no, environment
        ), numbers AS (
            UPDATE number_counters c SET user_last = c.user_last + n.count FROM counted n
            WHERE c.app_no = n.app_no AND c.environment = n.environment
            RETURNING c.app_no, c.environment, c.user_last - n.count AS base
        )
        INSERT INTO users (app_no, environment, user_id, user_no)
        SELECT m.app_no, m.environment, m.user_id, n.base + m.position
        FROM missing m JOIN numbers n ON n.app_no = m.app_no AND n.environment = m.environment
        """

    static let numbered: SQL = """
        INSERT INTO numbered
        SELECT f.*, i.install_no, u.user_no
        FROM fresh f
        JOIN installs i ON i.app_no = f.app_no AND i.environment = f.environment AND i.install_id = f.install_id
        LEFT JOIN users u ON u.app_no = f.app_no AND u.environment = f.environment AND u.user_id = f.user_id
        """

    static let events: SQL = """
        INSERT INTO events (app_no, environment, kind, event_time, received_at, client_time, insert_id,
                            session_id, install_no, user_no, duration_ms, context_no)
        SELECT app_no, environment, kind, event_time, received_at, client_time, insert_id,
               session_id, install_no, user_no, duration_ms, context_no
        FROM numbered ORDER BY seq
        ON CONFLICT DO NOTHING
        """

    static let userInstalls: SQL = """
        INSERT INTO user_installs (app_no, environment, user_no, install_no)
        SELECT DISTINCT app_no, environment, user_no, install_no FROM numbered n
        WHERE user_no IS NOT NULL AND NOT EXISTS (
            SELECT FROM user_installs l WHERE l.app_no = n.app_no AND l.environment = n.environment
              AND l.user_no = n.user_no AND l.install_no = n.install_no)
        ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING
        """

    static let dirtyDays: SQL = """
        INSERT INTO dirty_days (app_no, environment, zone_version, day, cause)
        SELECT DISTINCT n.app_no, n.environment, a.zone_version, n.day, 'events'
        FROM numbered n JOIN apps a ON a.app_no = n.app_no ORDER BY 1, 2, 4
        """
}
