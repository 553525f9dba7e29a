import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// Goal: ranges that reach back beyond raw events are answered from totals; whatever these can tell is exact, and what they cannot is null.
///
/// Method: random worlds over the end of a month. The oracle keeps its own copy of what happened, so each report is compared with it before
/// the month expires and after. Which figures may be null afterwards is worked out by `FrozenOracle` from what happened alone.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .timeLimit(.minutes(10)))
struct FrozenRangeTests {
    static let zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Honolulu", "UTC"]
    static let horizon = "2023-04-01"
    /// The first moment at which March 2023 is 25 months old.
    static let expiry = "2025-05-01"

    @Test(arguments: Array(UInt64(1)...6))
    func everyReportBeforeAndAfterExpiry(seed: UInt64) async throws {
        let start = (zone: Self.zones[Int(seed) % Self.zones.count], date: "2023-03-25")
        let sessions = seed % 2 == 0 ? 40 : 120
        try await withOracleWorld(seed: seed, days: 12, sessions: sessions, at: start) { world in
            var random = world.world.random
            try await world.store(world.world.messages)
            try await world.close()
            let environment: AppEnvironment = seed % 3 == 0 ? .development : .production
            try await OracleTables(app: world.app.number, environment: environment, zone: world.zone)
                .make(world.connection)
            let questions = questions(world, environment, using: &random)
            let lived = world.reader()
            try await check(questions, lived, world, keptFrom: nil, using: &random)

            _ = try await RetentionRun(connection: world.connection, nowMs: utcMs(Self.expiry)).run()
            let keptFrom = try firstKept(try LocalZone(named: world.zone))
            try await check(questions, lived, world, keptFrom: keptFrom, using: &random)
            try await check(
                Array(questions.prefix(3)),
                world.reader(),
                world,
                keptFrom: keptFrom,
                using: &random
            )
        }
    }

    private func firstKept(_ zone: LocalZone) throws -> LocalDay {
        let day = zone.day(ofMs: utcMs(Self.horizon))
        return zone.bounds(of: day).lowerBound < utcMs(Self.horizon) ? day.advanced(by: 1) : day
    }

    private func questions(
        _ world: OracleWorld,
        _ environment: AppEnvironment,
        using random: inout SplitMix64
    ) -> [OracleQuestion] {
        let start = world.world.firstDay
        func span(_ from: Int, _ to: Int) -> (LocalDay, LocalDay) {
            (start.advanced(by: from), start.advanced(by: to))
        }
        let single = Int.random(in: 0..<6, using: &random)
        let spans = [span(-4, 14), span(2, 9), span(0, 5), span(8, 12), span(single, single)]
        var questions: [OracleQuestion] = []
        for unit in OracleQuestion.units {
            var filters = OracleQuestion.filters(using: &random) + [["os_name": ["iOS"]]]
            filters.append(["app_version": ["1.0", ""]])
            for filter in filters {
                for (first, last) in spans.shuffled(using: &random).prefix(filter.isEmpty ? 5 : 2) {
                    var question = OracleQuestion(first: first, last: last, unit: unit, filter: filter)
                    question.environment = environment
                    questions.append(question)
                }
            }
        }
        return questions
    }

    private func check(
        _ questions: [OracleQuestion],
        _ reader: OracleWorld.Reader,
        _ world: OracleWorld,
        keptFrom: LocalDay?,
        using random: inout SplitMix64
    ) async throws {
        let oracle = FrozenOracle(
            oracle: ReportOracle(connection: world.connection, zone: world.zone),
            keptFrom: keptFrom
        )
        for question in questions {
            let check = FrozenCheck(reader: reader, oracle: oracle, question: question)
            try await check.summary()
            try await check.rolling()
            for granularity in ["day", "week", "month"] {
                let metric = FrozenCheck.metrics.randomElement(using: &random) ?? "active"
                try await check.series(metric, granularity)
            }
            try await check.splits(FrozenCheck.metrics.randomElement(using: &random) ?? "active")
            try await check.breakdown(
                (ReportDimension.allCases.randomElement(using: &random) ?? .city).rawValue
            )
            try await check.breakdown("platform")
            try await check.retention("day", periods: 5)
            try await check.retention("week", periods: 2)
        }
    }
}
