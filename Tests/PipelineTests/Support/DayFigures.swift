import Postgres
import Wire

/// What is compared of a closed local day.
struct DayFigures: Sendable, Equatable, CustomStringConvertible {
    let day: String
    let sessions: Int
    let ended: Int
    let durationMs: Int64
    let installs: Int
    /// Distinct pairs of install and user.
    let pairs: Int

    var description: String {
        "\(day): \(sessions) sessions, \(ended) ended, \(durationMs) ms, \(installs) installs, \(pairs) pairs"
    }
}

extension DayFigures {
    /// As the closing wrote them: totals from the columns, people from the block.
    static func closed(_ database: ScratchDatabase) async throws -> [DayFigures] {
        try await database.use { connection in
            try await connection.rows(
                """
                SELECT environment || ' ' || day, sessions, sessions_ended, duration_ms_sum, block FROM closed_days
                ORDER BY environment, day LIMIT 10000
                """
            ) { row in
                let rows = try DayBlockCodec.decode(try row.bytes(4)).rows
                return DayFigures(
                    day: try row.string(0),
                    sessions: try row.int(1),
                    ended: try row.int(2),
                    durationMs: try row.int64(3),
                    installs: Set(rows.map(\.install)).count,
                    pairs: Set(rows.map { [$0.install, $0.user] }).count
                )
            }
        }
    }

    /// Counted from raw events by the rules of sessions and days, in plain SQL: slow, obvious, and written apart from the closing.
    static func counted(_ database: ScratchDatabase, zone: String) async throws -> [DayFigures] {
        try await database.use { connection in
            _ = try await connection.execute(
                """
                CREATE TEMP TABLE own AS
                SELECT environment, kind, event_time AS at, insert_id, session_id, install_no,
                       coalesce(user_no, 0) AS user_no, duration_ms, NULL::date AS day
                FROM events
                """
            )
            _ = try await connection.execute("UPDATE own SET day = (at AT TIME ZONE \(zone))::date")
            try await connection.script(Self.sessions)
            return try await connection.rows(figures(zone: zone)) { row in
                DayFigures(
                    day: try row.string(0),
                    sessions: try row.int(1),
                    ended: try row.int(2),
                    durationMs: try row.int64(3),
                    installs: try row.int(4),
                    pairs: try row.int(5)
                )
            }
        }
    }

    /// Which starts open a session, and which of them each event belongs to.
    private static let sessions = """
        CREATE INDEX ON own (environment, session_id, kind, at, insert_id);
        ANALYZE own;
        CREATE TEMP TABLE openings AS
            SELECT * FROM own s WHERE kind = 1 AND NOT EXISTS (
                SELECT FROM own p
                WHERE p.environment = s.environment AND p.session_id = s.session_id AND p.kind = 1
                  AND (p.at, p.insert_id) < (s.at, s.insert_id) AND s.at - p.at <= interval '25 hours');
        CREATE INDEX ON openings (environment, session_id, at);
        ANALYZE openings;
        CREATE TEMP TABLE placed AS
            SELECT e.*, coalesce(
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at <= e.at AND e.at - o.at <= interval '25 hours' ORDER BY o.at DESC LIMIT 1),
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at > e.at AND o.at - e.at <= interval '25 hours' ORDER BY o.at LIMIT 1)) AS opening
            FROM own e;
        ANALYZE placed;
        """

    private static func figures(zone: String) -> SQL {
        """
        WITH sessions AS MATERIALIZED (
            SELECT o.environment, o.day, o.install_no, o.user_no, max(p.duration_ms) AS duration_ms,
                   (max(p.at) AT TIME ZONE \(zone))::date AS last_day
            FROM openings o JOIN placed p ON p.environment = o.environment AND p.opening = o.insert_id
            GROUP BY o.environment, o.day, o.install_no, o.user_no, o.insert_id
        ), active AS (
            SELECT environment, day, install_no, user_no FROM own
            UNION
            SELECT environment, day + step, install_no, user_no
            FROM sessions, generate_series(0, last_day - day) AS step
        ), people AS (
            SELECT environment, day, count(DISTINCT install_no) AS installs,
                   count(DISTINCT (install_no, user_no)) AS pairs
            FROM active GROUP BY environment, day
        ), counts AS (
            SELECT environment, day, count(*) AS sessions, count(duration_ms) AS ended,
                   coalesce(sum(duration_ms), 0)::bigint AS duration_ms
            FROM sessions GROUP BY environment, day
        )
        SELECT environment || ' ' || day, coalesce(sessions, 0), coalesce(ended, 0), coalesce(duration_ms, 0),
               installs, pairs
        FROM people LEFT JOIN counts USING (environment, day) ORDER BY environment, day LIMIT 10000
        """
    }
}
