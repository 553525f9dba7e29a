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
            let days = try await DaySQLOracle.days(app: bench.app.number, zone: "UTC", bench.connection)
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
    let expected = try await DaySQLOracle.days(app: bench.app.number, zone: zone, bench.connection).map(
        \.description
    )
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
