import Calendar
import Contracts
import Postgres
import TestSupport
import Testing

@testable import ReaderCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SeriesEndpointTests {
    /// B04: one session at noon of each local day, across a change of the clocks.
    @Test(arguments: [
        ("Africa/Cairo", "2026-04-22", "2026-04-27", "2026-04-24T01:00:00+03:00"),
        ("Asia/Beirut", "2026-03-27", "2026-03-31", "2026-03-29T01:00:00+03:00"),
        ("America/Santiago", "2026-09-04", "2026-09-08", "2026-09-06T01:00:00-03:00"),
        ("America/Havana", "2026-03-06", "2026-03-10", "2026-03-08T01:00:00-04:00"),
        ("Pacific/Pago_Pago", "2026-09-29", "2026-10-02", "2026-10-01T00:00:00-11:00"),
    ])
    func eachDateOnceAndWithItsData(zone: String, first: String, last: String, includes label: String)
        async throws
    {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: zone)
            let local = try LocalZone(named: zone)
            let days = try day(first)...(try day(last))
            for day in days {
                try await world.send(app, session(local.bounds(of: day).lowerBound + 12 * Span.hourMs))
            }
            try await world.close()
            let query = "from=\(first)&to=\(last)&metric=sessions&granularity=day&compare=none"
            let points = try await world.series(app, query).points
            #expect(points.map { String($0.ts.prefix(10)) } == days.map(\.description))
            #expect(points.map(\.value) == days.map { _ in 1 })
            #expect(points.contains { $0.ts == label })
        }
    }

    /// B10: persons do not add up over days.
    @Test func personOfThreeDaysIsOneOfTheWeek() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for date in ["2026-10-05", "2026-10-07", "2026-10-11"] {
                try await world.send(app, session(utcMs(date, hours: 9), user: "42"))
            }
            try await world.close()
            let series = try await world.series(app, "from=2026-10-05&to=2026-10-11&metric=active")
            #expect(series.metric == "active")
            #expect(series.granularity == "day")
            #expect(series.points.map(\.value) == [1, 0, 1, 0, 0, 0, 1])
            #expect(try await world.summary(app, "from=2026-10-05&to=2026-10-11").figures.active == 1)
        }
    }

    @Test func comparedDaysAreAsManyDirectlyBefore() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, session(utcMs("2026-02-28", hours: 9), 4_000))
            try await world.close()
            let query = "from=2026-03-01&to=2026-03-31&metric=avg_duration_ms"
            let series = try await world.series(app, query)
            #expect(series.points.count == 31)
            #expect(series.points.allSatisfy { $0.value == nil })
            #expect(series.compare?.from == "2026-01-29")
            #expect(series.compare?.to == "2026-02-28")
            #expect(series.compare?.points.count == 31)
            #expect(series.compare?.points.last?.value == 4_000)
            #expect(try await world.series(app, query + "&compare=none").compare == nil)
        }
    }

    /// B48, B50: today is the app's today; what is not over says so, and what is to come is zero.
    @Test(arguments: ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
    func todayIsIncludedAndIncomplete(zone: String) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: zone)
            let local = try LocalZone(named: zone)
            let nowMs = try #require(
                try await world.connection.first("SELECT now() LIMIT 1") { try $0.timestampMs(0) }
            )
            let today = local.day(ofMs: nowMs - 60_000)
            try await world.send(app, session(nowMs - 60_000, nil))
            try await world.close()
            let query = "from=\(today)&to=\(today.advanced(by: 34))&metric=active"
            let series = try await world.series(app, query)
            #expect(series.points.first?.value == 1)
            #expect(series.points.dropFirst().allSatisfy { $0.value == 0 && $0.complete == false })
            // At a midnight between the two look-ups that day is over.
            if local.day(ofMs: nowMs + 60_000) == today { #expect(series.points.first?.complete == false) }
            #expect(try #require(series.compare).points.allSatisfy { $0.complete == nil })
        }
    }

    /// Freshness: what waits to be closed is not in the figures, and the answer says since when.
    @Test func dataThroughIsWhenTheOldestWaitingDayWasMarked() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let range = "from=2026-10-01&to=2026-10-01"
            try await world.send(app, session(utcMs("2026-10-01", hours: 9)))
            try await world.close()
            let closed = try await world.summary(app, range)
            #expect(closed.dataThrough == closed.asOf)

            try await world.send(app, install: 2, session(utcMs("2026-10-01", hours: 10)))
            try await world.connection.execute("UPDATE dirty_days SET marked_at = '2026-10-02T03:04:05.678Z'")
            let waiting = try await world.summary(app, range)
            #expect(waiting.dataThrough == "2026-10-02T03:04:05.678Z")
            #expect(waiting.figures.active == 1)
            let development = try await world.summary(app, range + "&environment=development")
            #expect(development.dataThrough == development.asOf)

            try await world.close()
            let again = try await world.summary(app, range)
            #expect(again.dataThrough == again.asOf)
            #expect(again.figures.active == 2)
        }
    }

    /// A block that was damaged on disk is an error of ours, and never other numbers.
    @Test func damagedDayIsAnErrorAndNoFigures() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, session(utcMs("2026-10-01", hours: 9)))
            try await world.close()
            try await world.connection.execute(
                "UPDATE closed_days SET block = set_byte(block, length(block) - 1, 255 - get_byte(block, length(block) - 1))"
            )
            let range = "from=2026-10-01&to=2026-10-01"
            let answer = try await world.get("/v1/apps/\(app.id)/audience/summary?\(range)")
            #expect(answer.status == 500)
            #expect(try (decoded(answer) as ErrorAnswer).error.code == "internal_error")
        }
    }
}
