import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// A change of zone: built beside, switched at once, and equal to an import in that zone from the start (B57).
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct ZoneChangeTests {
    @discardableResult
    private func request(_ bench: StoreBench, _ zone: String) async throws -> ZoneChanges.Outcome {
        let app = bench.app.number
        return try await bench.connection.transaction {
            try ZoneChanges.request(app: app, timezone: zone, $0)
        }
    }

    private func zone(_ bench: StoreBench) async throws -> String? {
        let app = bench.app.number
        return try await bench.connection.first("SELECT timezone FROM apps WHERE app_no = \(app) LIMIT 1") {
            try $0.string(0)
        }
    }

    /// What reports would read of an app: its days with the sums and bounds of their blocks.
    private func days(_ app: TestApp, _ bench: StoreBench) async throws -> [String] {
        try await bench.connection.texts(
            """
            SELECT ROW(d.environment, d.day, d.first_at, d.end_at, d.sessions, d.sessions_ended, d.duration_ms_sum,
                       length(d.block))::text
            FROM closed_days d JOIN apps a ON a.app_no = d.app_no AND a.zone_version = d.zone_version
            WHERE d.app_no = \(app.number) AND d.block <> '' AND length(d.block) > 20 ORDER BY 1 LIMIT 100000
            """
        )
    }

    private func session(_ number: UInt64, atMs: Int64) -> [EventMessage.Event] {
        [
            .start(at: atMs, session: .fixed(number)),
            .end(at: atMs + 1_200_000, session: .fixed(number), durationMs: 1_200_000),
        ]
    }

    private func messages(_ app: UUID128, seed: UInt64, count: UInt64 = 60) -> [EventMessage] {
        var random = SplitMix64(seed: seed)
        return (1...count).map { number in
            let atMs = utcMs("2026-10-20") + .random(in: 0..<8 * Span.dayMs, using: &random)
            let install = UInt64.random(in: 1...9, using: &random)
            return .valid(app: app, install: .fixed(install), session(number, atMs: atMs))
        }
    }

    @Test func untilItIsBuiltReportsStayInTheOldZone() async throws {
        try await withStore(timezone: "UTC") { bench in
            try await bench.store.add(messages(bench.app.id, seed: 1))
            try await bench.closeAll()
            let before = try await days(bench.app, bench)
            try await request(bench, "Asia/Tokyo")
            #expect(try await days(bench.app, bench) == before)
            #expect(try await ZoneChanges.finishAll(bench.connection).isEmpty)
            #expect(try await zone(bench) == "UTC")
        }
    }

    @Test(arguments: ["Asia/Kolkata", "America/St_Johns", "Europe/Berlin", "Pacific/Kiritimati"])
    func theResultEqualsAnImportInTheNewZone(name: String) async throws {
        try await withStore(timezone: "UTC") { bench in
            let fresh = try await TestApp.make(bench.connection, timezone: name)
            try await bench.store.add(messages(fresh.id, seed: 2))
            let all = messages(bench.app.id, seed: 2)
            try await bench.store.add(Array(all[..<40]))
            try await bench.closeAll()
            try await request(bench, name)
            // Events that come while it is built mark days of both zones.
            try await bench.store.add(Array(all[40...50]))
            try await bench.closeAll()
            try await bench.store.add(Array(all[51...]))
            #expect(try await ZoneChanges.finishAll(bench.connection) == [bench.app.number])
            try await bench.closeAll()
            #expect(try await zone(bench) == name)
            let found = try await days(bench.app, bench)
            #expect(found == (try await days(fresh, bench)))
            #expect(found.count > 7)
        }
    }

    @Test func changeAndChangeBackGivesTheSameNumbers() async throws {
        try await withStore(timezone: "Europe/Berlin") { bench in
            try await bench.store.add(messages(bench.app.id, seed: 3))
            try await bench.closeAll()
            let before = try await days(bench.app, bench)
            for name in ["Asia/Tokyo", "Europe/Berlin"] {
                try await request(bench, name)
                try await bench.closeAll()
                #expect(try await ZoneChanges.finishAll(bench.connection) == [bench.app.number])
            }
            #expect(try await days(bench.app, bench) == before)
        }
    }

    @Test func theLaterOfTwoChangesWins() async throws {
        try await withStore { bench in
            try await bench.store.add(messages(bench.app.id, seed: 4))
            try await request(bench, "Asia/Tokyo")
            try await request(bench, "America/Lima")
            try await bench.closeAll()
            #expect(try await ZoneChanges.finishAll(bench.connection) == [bench.app.number])
            #expect(try await zone(bench) == "America/Lima")
            let versions = try await bench.connection.number(
                "SELECT count(DISTINCT zone_version) FROM closed_days LIMIT 1"
            )
            #expect(versions == 1)
        }
    }

    @Test func aChangeToThePresentZoneCallsOffTheOpenOne() async throws {
        try await withStore { bench in
            try await bench.store.add(messages(bench.app.id, seed: 5))
            try await bench.closeAll()
            let before = try await days(bench.app, bench)
            try await request(bench, "Asia/Tokyo")
            #expect(try await request(bench, "UTC") == .unchanged)
            try await bench.closeAll()
            #expect(try await ZoneChanges.finishAll(bench.connection).isEmpty)
            #expect(try await days(bench.app, bench) == before)
            #expect(try await bench.connection.number("SELECT count(*) FROM zone_changes LIMIT 1") == 0)
        }
    }

    @Test func anAppWithoutEventsSwitchesAtOnce() async throws {
        try await withStore { bench in
            guard case .started(let change) = try await request(bench, "Asia/Tokyo") else {
                Issue.record("not started")
                return
            }
            #expect(change.daysTotal == 0)
            #expect(try await ZoneChanges.finishAll(bench.connection) == [bench.app.number])
            #expect(try await zone(bench) == "Asia/Tokyo")
        }
    }

    @Test func thePreviewNamesTheDaysThatWillBeBuilt() async throws {
        try await withStore { bench in
            try await bench.store.add(messages(bench.app.id, seed: 6))
            let app = bench.app.number
            let preview = try await bench.connection.perform {
                try ZoneChanges.preview(app: app, timezone: "Asia/Tokyo", $0)
            }
            guard case .started(let change) = try await request(bench, "Asia/Tokyo") else {
                Issue.record("not started")
                return
            }
            #expect(preview.days == change.daysTotal && preview.days >= 8)
        }
    }

    @Test func daysWhoseBoundsATzdataMovedAreBuiltAgain() async throws {
        try await withStore(timezone: "America/Havana") { bench in
            try await bench.store.add(messages(bench.app.id, seed: 7))
            try await bench.closeAll()
            let before = try await days(bench.app, bench)
            try await bench.connection.script(
                """
                UPDATE closed_days SET tzdata_version = '1999a',
                    end_at = CASE WHEN day = '2026-10-22' THEN end_at + interval '1 hour' ELSE end_at END
                """
            )
            #expect(try await MovedDays.mark(bench.connection) == 1)
            #expect(try await bench.closeAll().closed == 1)
            #expect(try await days(bench.app, bench) == before)
            #expect(try await MovedDays.mark(bench.connection) == 0)
        }
    }
}
