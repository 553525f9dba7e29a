import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// How reports look that reach back to days of which only totals are kept; whether their figures are right is judged by `FrozenRangeTests`.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct FrozenEndpointTests {
    /// A row of totals.
    private struct Totals {
        var day: String
        var dimension = ""
        var value: String?
        var active: Int? = 2
        var new: Int? = 1
        var sessions = 3
        var ended = 2
        var durationMs = 5_001

        func insert(_ app: TestApp) -> SQL {
            """
            INSERT INTO day_totals (app_no, environment, day, dimension, value, active_persons, active_installs, new_persons,
                                    new_installs, sessions, sessions_ended, duration_ms_sum, timezone, first_at, end_at)
            VALUES (\(app.number), 0, \(day)::date, \(dimension), \(value), \(active), \(active), \(new), \(new), \(sessions),
                    \(ended), \(durationMs), 'UTC', \(day)::date, \(day)::date + 1)
            """
        }
    }

    private func withFrozen(
        _ rows: [Totals],
        keptFrom: String = "2024-10-01",
        _ body: (ReaderWorld, TestApp) async throws -> Void
    ) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: "UTC")
            try await world.connection.execute(
                "UPDATE retention_horizon SET kept_from = \(keptFrom)::timestamp AT TIME ZONE 'UTC'"
            )
            for row in rows { try await world.connection.execute(row.insert(app)) }
            try await body(world, app)
        }
    }

    private func frozenSummary(_ world: ReaderWorld, _ app: TestApp, _ query: String) async throws
        -> FrozenSummary
    {
        try await world.read("/v1/apps/\(app.id)/audience/summary?\(query)")
    }

    @Test func sumsAreExactAndDistinctPeopleOfSeveralDaysAreNull() async throws {
        let rows = [
            Totals(day: "2024-09-29"), Totals(day: "2024-09-30", sessions: 4, ended: 1, durationMs: 1),
        ]
        try await withFrozen(rows) { world, app in
            let both = try await frozenSummary(world, app, "from=2024-09-29&to=2024-10-01")
            #expect(both.figures.known == KnownFigures(new: 2, sessions: 7, averageDurationMs: 1_667))
            #expect(both.coverage == FrozenCoverage(totalsOnlyBefore: "2024-10-01"))
            let one = try await frozenSummary(world, app, "from=2024-09-30&to=2024-10-01")
            #expect(one.figures.known == KnownFigures(active: 2, new: 1, sessions: 4, averageDurationMs: 1))
            #expect(
                one.compare.known == KnownFigures(active: 2, new: 1, sessions: 3, averageDurationMs: 2_501)
            )
        }
    }

    @Test func rangesOfKeptDaysAndOfDaysWithoutAnythingSayNothing() async throws {
        try await withFrozen([
            Totals(day: "2024-08-29", active: 0, new: 0, sessions: 0, ended: 0, durationMs: 0)
        ]) {
            world,
            app in
            for query in [
                "from=2024-10-02&to=2024-10-02&compare=none", "from=2024-08-01&to=2024-08-30&compare=none",
            ] {
                let answer = try await world.get("/v1/apps/\(app.id)/audience/summary?\(query)")
                #expect(answer.status == 200 && !answer.body.contains("coverage"), "\(query)")
                #expect(answer.body.contains(#""active":0,"new":0,"sessions":0"#), "\(query)")
            }
        }
    }

    /// Where two apps with the day were merged nobody knows how many people they have in common.
    @Test func peopleOfMergedDaysAreNullAndSessionsExact() async throws {
        try await withFrozen([Totals(day: "2024-09-30", active: nil, new: nil)]) { world, app in
            let answer = try await frozenSummary(world, app, "from=2024-09-30&to=2024-09-30")
            #expect(answer.figures.known == KnownFigures(sessions: 3, averageDurationMs: 2_501))
        }
    }

    @Test func hoursOfAFrozenDayAreNotKnownUnlessNothingHappened() async throws {
        try await withFrozen([Totals(day: "2024-09-30", new: 0)]) { world, app in
            for (metric, value) in [("sessions", nil), ("active", nil), ("new", 0)] as [(String, Int?)] {
                let query = "from=2024-09-30&to=2024-10-01&granularity=hour&compare=none&metric=\(metric)"
                let answer = try await world.series(app, query)
                #expect(answer.points.count == 48)
                #expect(answer.points.prefix(24).allSatisfy { $0.value == value }, "\(metric)")
                #expect(answer.points.suffix(24).allSatisfy { $0.value == 0 }, "\(metric)")
            }
        }
    }

    @Test func tablesHaveEmptyCells() async throws {
        try await withFrozen([Totals(day: "2024-09-29"), Totals(day: "2024-09-30")]) { world, app in
            let query = "from=2024-09-29&to=2024-09-30&compare=none&format=csv"
            let answer = try await world.get("/v1/apps/\(app.id)/audience/summary?\(query)")
            #expect(answer.body.hasSuffix("2024-09-29,2024-09-30,,2,6,2501,\r\n"), "\(answer.body)")
        }
    }

    @Test func tagFollowsTheTotals() async throws {
        let row = Totals(day: "2024-09-30")
        try await withFrozen([row]) { world, app in
            let target = "/v1/apps/\(app.id)/audience/summary?from=2024-09-30&to=2024-10-01"
            let tag = try #require(try await world.get(target).header("ETag"))
            #expect(try await world.get(target, headers: [("If-None-Match", tag)]).status == 304)
            try await world.connection.execute("UPDATE day_totals SET duration_ms_sum = duration_ms_sum + 1")
            #expect(try await world.get(target, headers: [("If-None-Match", tag)]).status == 200)
        }
    }

    @Test func portfolioTellsOfSingleDaysAndNotWhoCameBack() async throws {
        let yesterday = LocalZone.utc.day(ofMs: SystemWallClock().nowMs()).advanced(by: -1)
        let rows = [
            Totals(day: yesterday.description),
            Totals(day: yesterday.description, dimension: "platform", value: "ios"),
            Totals(day: yesterday.advanced(by: -7).description, active: 1),
        ]
        try await withFrozen(rows, keptFrom: yesterday.advanced(by: 1).description) { world, app in
            let answer = try await world.get("/v1/portfolio")
            let item = try #require(try (decoded(answer) as PortfolioAnswer).items.first)
            #expect([item.dau, item.new, item.sessions, item.compare.dau] == [2, 1, 3, 1])
            #expect(item.deltaPct == 100 && item.d1 == nil && item.d7 == nil)
            #expect(item.trend.suffix(8).map(\.value) == [1, 0, 0, 0, 0, 0, 0, 2])
            #expect(item.platforms == [PortfolioAnswer.PlatformShare(platform: "ios", active: 2, share: 1)])
            #expect(
                answer.body.contains(#""coverage":{"totals_only_before":"\#(yesterday.advanced(by: 1))"}"#)
            )
        }
    }

    @Test func totalsAreFoundByTheirIndex() async throws {
        try await withFrozen([Totals(day: "2024-09-30")]) { world, app in
            try await world.connection.execute(
                """
                INSERT INTO day_totals SELECT app_no, environment, '2000-01-01'::date + n, dimension, n::text, 1, 1, 1, 1, 1, 1, 1,
                    timezone, first_at, end_at FROM day_totals, generate_series(1, 20000) n
                """
            )
            try await world.connection.script("ANALYZE day_totals")
            let day = try day("2024-09-01")
            let statement = FrozenRows.statement(
                WorldKey(app: app.number, environment: .production),
                DaySpan(first: day, last: day.advanced(by: 60)),
                [.platform]
            )
            let plan = try await world.connection.texts("EXPLAIN \(statement)").joined(separator: "\n")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
    }
}
