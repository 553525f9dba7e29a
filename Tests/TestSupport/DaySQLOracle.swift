public import Postgres

/// What is compared of a local day.
public struct DayFigures: Sendable, Equatable, CustomStringConvertible {
    public var environment: Int
    public var day: String
    public var sessions: Int
    public var ended: Int
    public var durationMs: Int64
    public var installs: Int
    /// Distinct pairs of install and user: those tell people once owners are known.
    public var pairs: Int

    public init(
        environment: Int,
        day: String,
        sessions: Int,
        ended: Int,
        durationMs: Int64,
        installs: Int,
        pairs: Int
    ) {
        self.environment = environment
        self.day = day
        self.sessions = sessions
        self.ended = ended
        self.durationMs = durationMs
        self.installs = installs
        self.pairs = pairs
    }

    public var description: String {
        "\(environment) \(day): \(sessions) sessions, \(ended) ended, \(durationMs) ms, \(installs) installs, \(pairs) pairs"
    }
}

/// The rules of sessions and days in plain SQL over raw events: obvious, shares nothing with the closing, takes local days from Postgres.
public enum DaySQLOracle {
    /// - Parameter app: nil for all apps together, whose zone must be the same.
    public static func days(app: Int32?, zone: String, _ connection: PostgresConnection) async throws
        -> [DayFigures]
    {
        try await connection.transaction { connection in
            try prepare(app: app, zone: zone, connection)
            return try connection.rows(figures) {
                DayFigures(
                    environment: try $0.int(0),
                    day: try $0.string(1),
                    sessions: try $0.int(2),
                    ended: try $0.int(3),
                    durationMs: try $0.int64(4),
                    installs: try $0.int(5),
                    pairs: try $0.int(6)
                )
            }
        }
    }

    /// Fills temporary tables that live until the transaction ends: `own` events, `sessions`, and the `active` pairs of install and user
    /// of each day.
    static func prepare(app: Int32?, zone: String, _ connection: isolated PostgresConnection) throws {
        try connection.script(own)
        _ = try connection.execute(
            """
            INSERT INTO own
            SELECT environment, kind, event_time, insert_id, session_id, install_no, coalesce(user_no, 0),
                   duration_ms, (event_time AT TIME ZONE \(zone))::date
            FROM events WHERE \(app)::integer IS NULL OR app_no = \(app)
            """
        )
        try connection.script(places)
        _ = try connection.execute(
            """
            INSERT INTO sessions
            SELECT o.environment, o.day, o.install_no, o.user_no, max(p.duration_ms),
                   (max(p.at) AT TIME ZONE \(zone))::date
            FROM openings o JOIN placed p ON p.environment = o.environment AND p.opening = o.insert_id
            GROUP BY o.environment, o.day, o.install_no, o.user_no, o.insert_id
            """
        )
        try connection.script(active)
    }

    private static let own = """
        CREATE TEMP TABLE own (
            environment smallint, kind smallint, at timestamptz, insert_id uuid, session_id uuid, install_no integer,
            user_no integer, duration_ms integer, day date
        ) ON COMMIT DROP;
        """

    /// Which starts open a session, and which of them each event belongs to.
    private static let places = """
        CREATE INDEX ON own (environment, session_id, kind, at, insert_id);
        ANALYZE own;
        CREATE TEMP TABLE openings ON COMMIT DROP AS
            SELECT * FROM own s WHERE kind = 1 AND NOT EXISTS (
                SELECT FROM own p
                WHERE p.environment = s.environment AND p.session_id = s.session_id AND p.kind = 1
                  AND (p.at, p.insert_id) < (s.at, s.insert_id) AND s.at - p.at <= interval '25 hours');
        CREATE INDEX ON openings (environment, session_id, at);
        ANALYZE openings;
        CREATE TEMP TABLE placed ON COMMIT DROP AS
            SELECT e.*, coalesce(
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at <= e.at AND e.at - o.at <= interval '25 hours' ORDER BY o.at DESC LIMIT 1),
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at > e.at AND o.at - e.at <= interval '25 hours' ORDER BY o.at LIMIT 1)) AS opening
            FROM own e;
        ANALYZE placed;
        CREATE TEMP TABLE sessions (
            environment smallint, day date, install_no integer, user_no integer, duration_ms integer, last_day date
        ) ON COMMIT DROP;
        """

    /// Whoever has an event on a day, or a session that reaches into it.
    private static let active = """
        ANALYZE sessions;
        CREATE TEMP TABLE active ON COMMIT DROP AS
            SELECT environment, day, install_no, user_no FROM own
            UNION
            SELECT environment, day + step, install_no, user_no
            FROM sessions, generate_series(0, last_day - day) AS step;
        ANALYZE active;
        """

    private static var figures: SQL {
        """
        WITH people AS (
            SELECT environment, day, count(DISTINCT install_no) AS installs,
                   count(DISTINCT (install_no, user_no)) AS pairs
            FROM active GROUP BY environment, day
        ), counts AS (
            SELECT environment, day, count(*) AS sessions, count(duration_ms) AS ended,
                   coalesce(sum(duration_ms), 0)::bigint AS duration_ms
            FROM sessions GROUP BY environment, day
        )
        SELECT environment, day::text, coalesce(sessions, 0), coalesce(ended, 0), coalesce(duration_ms, 0),
               installs, pairs
        FROM people LEFT JOIN counts USING (environment, day) ORDER BY environment, day LIMIT 10000
        """
    }
}
