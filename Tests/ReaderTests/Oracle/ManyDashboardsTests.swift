import Calendar
import Contracts
import Foundation
import HTTP
import Postgres
import ServiceKit
import Synchronization
import TestSupport
import Testing

@testable import ReaderCore

/// Fifty dashboards ask for everything while days are closed and people are erased.
///
/// Every answer is 200 and belongs to one state of the data: figures that must agree within an answer do. At the end the copy that lived
/// through it all answers as the oracle does, and takes no more memory than it may.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ManyDashboardsTests {
    private static let dashboards = 50
    private static let isLong = ProcessInfo.processInfo.environment["FOREGROUND_LONG"] == "1"
    /// How often data arrives: for some seconds, or with `FOREGROUND_LONG=1` for about a minute.
    private static let parts = isLong ? 2_000 : 150
    private static let bytesMax = 400_000

    @Test func fiftyDashboardsWhileDataMoves() async throws {
        try await withOracleWorld(seed: 3, days: 8, sessions: Self.isLong ? 2_500 : 400) { world in
            let cache = WorldCache(bytesMax: Self.bytesMax)
            let server = try await server(world, cache)
            let visits = Visits()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.dashboards {
                    group.addTask {
                        var random = SplitMix64(seed: UInt64(number))
                        while !visits.areOver {
                            try await Self.ask(world, port: server.port, using: &random)
                            visits.count()
                        }
                    }
                }
                group.addTask {
                    while !visits.areOver {
                        visits.saw(bytes: await cache.totalBytes)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                defer { visits.end() }
                try await moveData(world)
                visits.end()
                try await group.waitForAll()
            }
            #expect(visits.total > Self.dashboards)
            #expect(await cache.totalBytes <= Self.bytesMax)
            // Between the requests, too; what one request has just brought is let go before the next one's is noted.
            #expect(visits.mostBytes > 0 && visits.mostBytes <= 2 * Self.bytesMax)
            await server.drain(ms: 5_000)
            try await expectTheOracle(world, cache)
        }
    }

    private func server(_ world: OracleWorld, _ cache: WorldCache) async throws -> HTTPServer {
        try await world.connection.execute(
            """
            INSERT INTO api_keys (key_id, key_hash, prefix, scopes)
            VALUES (\(UUID128.random())::uuid, sha256(convert_to(\(ReaderWorld.key), 'UTF8')), 'sk_', '{read}')
            """
        )
        let service = Service(name: "reader", logger: LogCapture().logger())
        return try HTTPServer(
            HTTPServerConfiguration(address: "127.0.0.1", port: 0),
            handler: ReadHandler(ReadService(pool: world.pool, worlds: cache), service)
        )
    }

    /// Everything arrives in small parts, each closed, and now and then some installs are erased.
    private func moveData(_ world: OracleWorld) async throws {
        for (number, part) in world.parts(Self.parts).enumerated() {
            try await world.store(part)
            try await world.close()
            guard number % 8 == 7 else { continue }
            try await world.erase(installsWhere: "install_no % 7 = \(number / 8 % 7)")
            try await world.close()
        }
    }

    private static func ask(
        _ world: OracleWorld,
        port: Int,
        using random: inout SplitMix64
    ) async throws {
        let start = world.world.firstDay
        let first = start.advanced(by: .random(in: -2...6, using: &random))
        var question = OracleQuestion(
            first: first,
            last: first.advanced(by: .random(in: 0...6, using: &random)),
            unit: OracleQuestion.units.randomElement(using: &random) ?? "persons"
        )
        question.filter = OracleQuestion.filters(using: &random).randomElement(using: &random) ?? [:]
        let dashboard = Dashboard(app: world.app.id, port: port, query: question.query)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try await dashboard.summaryWithItsChange()
        case 1: try await dashboard.splitsOfSessions()
        case 2: try await dashboard.breakdown(ReportDimension.allCases.randomElement(using: &random))
        case 3: try await dashboard.rolling()
        default: try await dashboard.retention()
        }
    }

    private func expectTheOracle(_ world: OracleWorld, _ cache: WorldCache) async throws {
        try await OracleTables(app: world.app.number, environment: .production, zone: world.zone)
            .make(world.connection)
        let reader = OracleWorld.Reader(cache: cache, pool: world.pool, app: world.app.number)
        for unit in OracleQuestion.units {
            let check = OracleCheck(
                reader: reader,
                oracle: ReportOracle(connection: world.connection, zone: world.zone),
                question: OracleQuestion(
                    first: world.world.firstDay.advanced(by: -2),
                    last: world.world.firstDay.advanced(by: 9),
                    unit: unit
                )
            )
            try await check.summary()
            try await check.breakdown("platform")
            try await check.retention("day", periods: 5)
        }
    }
}

/// How often somebody looked, and whether that is enough.
private final class Visits: Sendable {
    private let number = Atomic(0)
    private let isOver = Atomic(false)
    private let most = Atomic(0)

    /// The most bytes anybody saw in the cache.
    var mostBytes: Int { most.load(ordering: .relaxed) }
    func saw(bytes: Int) { most.max(bytes, ordering: .relaxed) }

    var total: Int { number.load(ordering: .relaxed) }
    var areOver: Bool { isOver.load(ordering: .relaxed) }
    func count() { number.wrappingAdd(1, ordering: .relaxed) }
    func end() { isOver.store(true, ordering: .relaxed) }
}

/// One page of a dashboard, which notices figures that do not agree.
private struct Dashboard {
    let app: UUID128
    let port: Int
    let query: String

    private func get<Answer: Decodable>(_ path: String, as: Answer.Type) async throws -> Answer {
        let answer = try await HTTPClient.send(
            "GET",
            "/v1/apps/\(app)/\(path)",
            port: port,
            headers: [("Authorization", "Bearer \(ReaderWorld.key)")]
        )
        try #require(answer.status == 200, "\(path): \(answer.status) \(answer.body)")
        return try decoded(answer)
    }

    func summaryWithItsChange() async throws {
        let answer = try await get("audience/summary?" + query, as: SummaryAnswer.self)
        #expect(answer.figures.sessions > 0 || answer.figures.medianDurationMs == nil, "\(query)")
        #expect(answer.compare != nil)
    }

    func splitsOfSessions() async throws {
        let path = "audience/timeseries?\(query)&metric=sessions&split=platform"
        let answer = try await get(path, as: SplitSeriesAnswer.self)
        for (index, point) in answer.points.enumerated() {
            let sum = answer.splits.reduce(0) { $0 + ($1.points[index].value ?? 0) }
            #expect(sum == point.value, "\(point.ts): \(path)")
        }
    }

    func breakdown(_ dimension: ReportDimension?) async throws {
        let path = "audience/breakdown?\(query)&compare=none&dimension=\(dimension?.rawValue ?? "platform")"
        let answer = try await get(path, as: BreakdownAnswer.self)
        #expect(answer.items.reduce(0) { $0 + $1.sessions } == answer.total.sessions, "\(path)")
        #expect(answer.items.reduce(0) { $0 + $1.new } == answer.total.new, "\(path)")
        #expect(answer.items.allSatisfy { $0.active <= answer.total.active }, "\(path)")
        #expect(answer.items.reduce(0) { $0 + $1.active } >= answer.total.active, "\(path)")
    }

    func rolling() async throws {
        let answer = try await get("audience/rolling-active?" + query, as: RollingAnswer.self)
        #expect(answer.points.allSatisfy { $0.dau <= $0.wau && $0.wau <= $0.mau }, "\(query)")
    }

    func retention() async throws {
        let answer = try await get("retention?\(query)&cohort=day&periods=4", as: RetentionAnswer.self)
        for cohort in answer.cohorts {
            #expect(cohort.returned.allSatisfy { ($0 ?? 0) <= cohort.size }, "\(cohort.from): \(query)")
        }
    }
}
