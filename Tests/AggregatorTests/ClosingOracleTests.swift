import AggregatorCore
import Calendar
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

/// Goal: closed days say what plain SQL over the raw events says.
///
/// Method: seeded worlds of troublesome sessions, stored shuffled and in batches with closings in between, against `DaySQLOracle`, which
/// shares nothing with the closing code and takes local days from Postgres.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct ClosingOracleTests {
    static let zones = [
        "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe",
        "Pacific/Chatham",
        "Pacific/Kiritimati",
    ]

    @Test(arguments: UInt64(1)...24)
    func everyClosedDayEqualsPlainSQL(seed: UInt64) async throws {
        let zone = Self.zones[Int(seed) % Self.zones.count]
        try await withStore(timezone: zone) { bench in
            let world = try StoredWorld(seed: seed, zone: zone, app: bench.app)
            var random = SplitMix64(seed: seed &* 131)
            for batch in world.messages.chunked(Int.random(in: 3...40, using: &random)) {
                try await bench.store.add(batch)
                if Int.random(in: 0..<3, using: &random) == 0 { try await bench.closeAll() }
            }
            try await bench.closeAll()
            try await expectDaysEqualOracle(bench, zone: zone)
        }
    }

    @Test func theOracleKnowsALateEndFromAnotherDay() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2026-10-14", hours: 23.75), durationMs: 1_800_000)
            let days = try await DaySQLOracle.days(bench.app, zone: "UTC", bench.connection)
            #expect(
                days.map(\.description) == [
                    "0 2026-10-14: 1 sessions, 1 ended, 1800000 ms, 1 installs, 1 pairs",
                    "0 2026-10-15: 0 sessions, 0 ended, 0 ms, 1 installs, 1 pairs",
                ]
            )
        }
    }
}

/// A `SessionWorld` as messages.
struct StoredWorld {
    let messages: [EventMessage]

    init(seed: UInt64, zone: String, app: TestApp, sessions: Int = 60) throws {
        // Clocks change in some of the zones within these days.
        let firstDay = seed % 2 == 0 ? "2026-10-20" : "2026-03-22"
        let world = SessionWorld(
            seed: seed,
            zone: try LocalZone(named: zone),
            firstDay: try #require(LocalDay(firstDay)),
            sessions: sessions
        )
        messages = world.events.map { event in
            let user = event.user == 0 ? nil : "user \(event.user)"
            let change = { (new: inout EventMessage.Event) in new.insertID = event.insertID }
            let new: EventMessage.Event =
                event.isStart
                ? .start(at: event.timeMs, session: event.sessionID, user: user, change)
                : .end(
                    at: event.timeMs,
                    session: event.sessionID,
                    durationMs: Int64(event.durationMs),
                    user: user,
                    change
                )
            return .valid(app: app.id, install: .fixed(UInt64(event.install)), [new]) {
                $0.contexts = [.valid { $0.appVersion = "\(event.context)" }]
            }
        }
    }
}

/// Compares every closed day of the app with the oracle, both ways.
func expectDaysEqualOracle(
    _ bench: StoreBench,
    zone: String,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let closed = try await ClosedDay.all(bench.app.number, bench.connection)
    let found = closed.filter { $0.value.block.count > 0 }
        .map { DayFigures(key: $0.key, day: $0.value).description }.sorted()
    let expected = try await DaySQLOracle.days(bench.app, zone: zone, bench.connection).map(\.description)
    #expect(found == expected, sourceLocation: sourceLocation)
    #expect(found.count > 1, sourceLocation: sourceLocation)
    for (key, day) in closed {
        let block = day.block
        let durations = block.durationMs.filter { $0 >= 0 }
        #expect(
            day.sessions == block.isSession.filter { $0 }.count,
            "\(key.day)",
            sourceLocation: sourceLocation
        )
        #expect(day.sessionsEnded == durations.count, "\(key.day)", sourceLocation: sourceLocation)
        #expect(
            day.durationMsSum == durations.reduce(0) { $0 + Int64($1) },
            "\(key.day)",
            sourceLocation: sourceLocation
        )
    }
}

/// What is compared of a day.
struct DayFigures: CustomStringConvertible {
    let environment: Int
    let day: String
    let sessions: Int
    let ended: Int
    let durationMs: Int64
    let installs: Int
    /// Distinct pairs of install and user: those tell people once owners are known.
    let pairs: Int

    var description: String {
        "\(environment) \(day): \(sessions) sessions, \(ended) ended, \(durationMs) ms, \(installs) installs, \(pairs) pairs"
    }
}

extension DayFigures {
    init(key: DayKey, day: ClosedDay) {
        let rows = day.block.rows
        self.init(
            environment: Int(key.environment),
            day: key.day.description,
            sessions: rows.filter(\.isSession).count,
            ended: rows.filter { $0.durationMs >= 0 }.count,
            durationMs: rows.reduce(0) { $0 + Int64(max($1.durationMs, 0)) },
            installs: Set(rows.map(\.install)).count,
            pairs: Set(rows.map { [$0.install, $0.user] }).count
        )
    }
}

/// The rules of sessions and days in plain SQL over raw events: slow and obvious.
enum DaySQLOracle {
    static func days(_ app: TestApp, zone: String, _ connection: PostgresConnection) async throws
        -> [DayFigures]
    {
        try await connection.rows(statement(app, zone: zone)) {
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

    private static func statement(_ app: TestApp, zone: String) -> SQL {
        """
        WITH own AS MATERIALIZED (
            SELECT environment, kind, event_time AS at, insert_id, session_id, install_no,
                   coalesce(user_no, 0) AS user_no, duration_ms, (event_time AT TIME ZONE \(zone))::date AS day
            FROM events WHERE app_no = \(app.number)
        ), openings AS MATERIALIZED (
            SELECT * FROM own s WHERE kind = 1 AND NOT EXISTS (
                SELECT FROM own p
                WHERE p.environment = s.environment AND p.session_id = s.session_id AND p.kind = 1
                  AND (p.at, p.insert_id) < (s.at, s.insert_id) AND s.at - p.at <= interval '25 hours')
        ), placed AS MATERIALIZED (
            SELECT e.*, coalesce(
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at <= e.at AND e.at - o.at <= interval '25 hours' ORDER BY o.at DESC LIMIT 1),
                (SELECT o.insert_id FROM openings o
                 WHERE o.environment = e.environment AND o.session_id = e.session_id
                   AND o.at > e.at AND o.at - e.at <= interval '25 hours' ORDER BY o.at LIMIT 1)) AS opening
            FROM own e
        ), sessions AS MATERIALIZED (
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
        SELECT environment, day::text, coalesce(sessions, 0), coalesce(ended, 0), coalesce(duration_ms, 0),
               installs, pairs
        FROM people LEFT JOIN counts USING (environment, day) ORDER BY environment, day LIMIT 10000
        """
    }
}
