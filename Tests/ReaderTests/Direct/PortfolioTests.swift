import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

struct PortfolioAnswer: Decodable {
    struct App: Decodable {
        var id: String
        var timezone: String
        var status: String
    }

    struct Compared: Decodable, Equatable {
        var date: String
        var dau: Int
    }

    struct Point: Decodable, Equatable {
        var ts: String
        var value: Int
    }

    struct PlatformShare: Decodable, Equatable {
        var platform: String
        var active: Int
        var share: Double?
    }

    struct Item: Decodable {
        var app: App
        var date: String
        var dau: Int
        var compare: Compared
        var deltaPct: Double?
        var new: Int
        var sessions: Int
        var d1: Double?
        var d7: Double?
        var trend: [Point]
        var platforms: [PlatformShare]
        var asOf: String
        var dataThrough: String
    }

    var items: [Item]
}

/// The other reports' answers, as far as the portfolio repeats them.
private struct RetentionAverages: Decodable {
    var average: [Double?]
}

private struct BreakdownItems: Decodable {
    struct Item: Decodable {
        var value: String?
        var active: Int
        var share: Double?
    }

    var items: [Item]
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct PortfolioEndpointTests {
    /// Every figure is one another report gives for the same days.
    @Test(
        arguments: [(1, "Europe/Berlin"), (2, "America/Santiago"), (3, "Asia/Kolkata"), (4, "UTC")]
            as [(UInt64, String)]
    )
    func figuresEqualTheOtherReports(seed: UInt64, timezone: String) async throws {
        try await withReader { world in
            let zone = try LocalZone(named: timezone)
            let app = try await TestApp.make(world.connection, timezone: timezone)
            let today = zone.day(ofMs: SystemWallClock().nowMs())
            // Three crowds of installs, so that people are new on many of the days that D1 and D7 look at.
            for (index, age) in [13, 10, 8].enumerated() {
                let random = RandomWorld(
                    seed: seed &+ UInt64(index) &* 1_000,
                    app: app.id,
                    zone: zone,
                    firstDay: today.advanced(by: -age),
                    sessions: 60
                )
                try await world.store(
                    random.messages.map { message in
                        var message = message
                        message.installID = .fixed(message.installID.low + UInt64(index) * 100)
                        return message
                    }
                )
            }
            try await world.close()
            var sawReturns = false
            for unit in ["persons", "installs"] {
                let items: PortfolioAnswer = try await world.read("/v1/portfolio?unit=\(unit)")
                let item = try #require(items.items.first)
                try await expectEqual(item, unit, world, app, zone)
                sawReturns = sawReturns || (item.d7 ?? 0) > 0 && (item.d1 ?? 0) > 0
            }
            #expect(sawReturns)
        }
    }

    private func expectEqual(
        _ item: PortfolioAnswer.Item,
        _ unit: String,
        _ world: ReaderWorld,
        _ app: TestApp,
        _ zone: LocalZone
    ) async throws {
        let last = try day(item.date)
        #expect(zone.bounds(of: last).upperBound <= SystemWallClock().nowMs())
        let summary = try await world.summary(app, "from=\(last)&to=\(last)&unit=\(unit)").figures
        #expect([item.dau, item.new, item.sessions] == [summary.active, summary.new, summary.sessions])
        let before = last.advanced(by: -7)
        let base = try await world.summary(app, "from=\(before)&to=\(before)&unit=\(unit)").figures
        #expect(item.compare == .init(date: before.description, dau: base.active))
        #expect(item.deltaPct == Change.percent(from: Int64(base.active), to: Int64(summary.active)))
        let trend = try await world.series(
            app,
            "from=\(last.advanced(by: -29))&to=\(last)&unit=\(unit)&metric=active&compare=none"
        ).points
        #expect(item.trend == trend.map { .init(ts: $0.ts, value: $0.value ?? -1) })
        #expect(item.trend.count == 30)
        for (value, period) in [(item.d1, 1), (item.d7, 7)] {
            let span = "from=\(last.advanced(by: -period - 6))&to=\(last.advanced(by: -period))"
            let retention: RetentionAverages = try await world.read(
                "/v1/apps/\(app.id)/retention?\(span)&periods=7&unit=\(unit)"
            )
            #expect(value == retention.average[period])
        }
        let breakdown: BreakdownItems = try await world.read(
            "/v1/apps/\(app.id)/audience/breakdown?from=\(last)&to=\(last)&dimension=platform&unit=\(unit)&compare=none"
        )
        #expect(
            item.platforms
                == breakdown.items.filter { $0.active > 0 }.map {
                    .init(platform: $0.value ?? "", active: $0.active, share: $0.share)
                }
        )
    }

    @Test func appWithoutEventsHasZerosAndNulls() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let answer: PortfolioAnswer = try await world.read("/v1/portfolio")
            let item = try #require(answer.items.first)
            #expect(item.app.id == app.id.description)
            #expect([item.dau, item.new, item.sessions, item.compare.dau] == [0, 0, 0, 0])
            #expect(item.deltaPct == nil && item.d1 == nil && item.d7 == nil)
            #expect(item.trend.count == 30)
            #expect(item.trend.allSatisfy { $0.value == 0 })
            #expect(item.platforms.isEmpty)
        }
    }

    @Test func appsAreThoseOfTheListOfApps() async throws {
        try await withReader { world in
            let apps = [
                try await TestApp.make(world.connection, timezone: "Europe/Moscow"),
                try await TestApp.make(world.connection), try await TestApp.make(world.connection),
            ]
            try await world.connection.execute(
                "UPDATE apps SET status = 'archived', archived_at = now() WHERE app_id = \(apps[1].id)::uuid"
            )
            try await world.makeKey("sk_bound", app: apps[2])
            func ids(_ query: String, key: String = ReaderWorld.key) async throws -> [String] {
                let answer = try await world.get("/v1/portfolio\(query)", key: key)
                return try (decoded(answer) as PortfolioAnswer).items.map(\.app.id)
            }
            let all = apps.map(\.id.description)
            #expect(try await ids("") == [all[0], all[2]])
            #expect(try await ids("?include_archived=true") == all)
            #expect(try await ids("", key: "sk_bound") == [all[2]])
            try await world.connection.execute("DELETE FROM apps")
            #expect(try await world.get("/v1/portfolio").body == #"{"items":[]}"#)
        }
    }

    @Test func environmentIsAskedFor() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let test = EventContext.valid { $0.environment = .development }
            let yesterday = SystemWallClock().nowMs() / Span.dayMs * Span.dayMs - Span.hourMs
            try await world.send(app, context: test, session(yesterday))
            try await world.close()
            let production: PortfolioAnswer = try await world.read("/v1/portfolio")
            let development: PortfolioAnswer = try await world.read("/v1/portfolio?environment=development")
            #expect(production.items.map(\.dau) == [0])
            #expect(development.items.map(\.dau) == [1])
            #expect(development.items[0].platforms == [.init(platform: "ios", active: 1, share: 1)])
        }
    }

    @Test(arguments: [
        ("unit=people", "unit"), ("environment=x", "environment"), ("include_archived=1", "include_archived"),
        ("from=2026-10-01", "from"),
    ])
    func parameterThatIsWrongIsNamed(query: String, field: String) async throws {
        try await withReader { world in
            let answer = try await world.get("/v1/portfolio?\(query)")
            #expect(answer.status == 400)
            #expect(try (decoded(answer) as ErrorAnswer).error.details == ["field": field])
        }
    }
}

@Suite struct PortfolioDayTests {
    @Test func lastFullDayEndsAtTheAppsMidnight() throws {
        let zone = try LocalZone(named: "Asia/Tokyo")
        let midnight = zone.bounds(of: try day("2026-10-14")).lowerBound
        #expect(PortfolioFigures.lastFullDay(zone, atMs: midnight - 1) == (try day("2026-10-12")))
        #expect(PortfolioFigures.lastFullDay(zone, atMs: midnight) == (try day("2026-10-13")))
    }

    /// Samoa had no 30 December 2011.
    @Test func skippedDateIsNoDay() throws {
        let zone = try LocalZone(named: "Pacific/Apia")
        let ms = zone.bounds(of: try day("2011-12-31")).lowerBound
        #expect(PortfolioFigures.lastFullDay(zone, atMs: ms) == (try day("2011-12-29")))
    }

    /// One cohort is large and comes back, six are small and do not.
    @Test func largeCohortsWeighMore() throws {
        let last = try march(20)
        let people = PeopleMap(
            installs: (1...16 as ClosedRange<Int32>).map { number in
                let age = number <= 10 ? 1 : Int(number) - 9
                return .init(
                    number: number,
                    owner: 0,
                    first: .on(last.advanced(by: -age)),
                    anonymousFirst: .on(last.advanced(by: -age))
                )
            },
            users: []
        )
        let days = (0...7).map { age in
            let new = (1...16 as ClosedRange<Int32>).filter { ($0 <= 10 ? 1 : Int($0) - 9) == age }
            let back: [Int32] = age == 0 ? [1, 2, 3, 4, 5] : []
            return ReportDay(last.advanced(by: -age), (new + back).map { .of(install: $0) })
        }
        let data = ReportData(days: days, people: people, contexts: [1: ReportContext(platform: "ios")])
        let snapshot = ReportSnapshot(data, asOfMs: LocalZone.utc.bounds(of: last).upperBound)
        let figures = PortfolioFigures(snapshot, unit: .persons)
        #expect(figures.day == last)
        #expect(figures.dayOne == .init(returned: 5, size: 16))
        #expect(figures.daySeven == .init(returned: 0, size: 1))
    }
}
