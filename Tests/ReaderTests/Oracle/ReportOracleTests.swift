import Calendar
import Contracts
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// What readers answer after random worlds went through the aggregator equals plain SQL over the raw events, exactly.
///
/// A world comes in parts with a closing after each. Between the parts readers are asked, so that most of what they know came as
/// changes; what one that lived through everything answers must be what one answers that knows nothing yet.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ReportOracleTests {
    @Test(arguments: Array(UInt64(1)...5))
    func everyReportOfAWorldThatGrows(seed: UInt64) async throws {
        try await withOracleWorld(seed: seed, days: 8, sessions: 90) { world in
            let lived = world.reader()
            var random = world.world.random
            for (number, part) in world.parts(3).enumerated() {
                try await world.store(part)
                try await compare(lived, world, using: &random)
                try await world.close()
                try await compare(lived, world, using: &random)
                try await checkAll(lived, world, isThorough: number == 2 && seed % 2 == 0, using: &random)
            }
        }
    }

    /// Long enough for several weeks and months; some days are still to come.
    @Test(arguments: Array(UInt64(20)...22))
    func weeksAndCohorts(seed: UInt64) async throws {
        try await withOracleWorld(seed: seed, days: 33, sessions: 160) { world in
            let lived = world.reader()
            var random = world.world.random
            for part in world.parts(2) {
                try await world.store(part)
                try await world.close()
                try await compare(lived, world, using: &random)
                try await checkAll(lived, world, isThorough: false, using: &random)
            }
        }
    }

    /// Rows of installs and users go before their days are built again, and come back as others.
    @Test(arguments: Array(UInt64(40)...43))
    func erasureWhileReadersLive(seed: UInt64) async throws {
        try await withOracleWorld(seed: seed, days: 8, sessions: 90) { world in
            let lived = world.reader()
            var random = world.world.random
            let parts = world.parts(4)
            for (number, part) in parts.enumerated() {
                try await world.store(part)
                try await world.close()
                try await compare(lived, world, using: &random)
                try await world.erase(installsWhere: "install_no % 5 = \(number)")
                try await compare(lived, world, using: &random)
                try await world.close()
                try await checkAll(lived, world, isThorough: false, using: &random)
            }
        }
    }

    /// A copy without room for any day, one whose knowledge of people is always too old, and one to which any change is too many.
    @Test(arguments: [UInt64(60), 61])
    func forgetfulReaders(seed: UInt64) async throws {
        try await withOracleWorld(seed: seed, days: 8, sessions: 90) { world in
            let tiny = world.reader(bytesMax: 1)
            let old = world.reader(limits: WorldLimits(cursorAgeMsMax: 0))
            let overrun = world.reader(limits: WorldLimits(changesMin: -1, changesPart: .max))
            var random = world.world.random
            for part in world.parts(3) {
                try await world.store(part)
                try await world.close()
                try await checkAll(tiny, world, isThorough: false, using: &random)
                try await checkAll(old, world, isThorough: false, using: &random)
                try await checkAll(overrun, world, isThorough: false, using: &random)
            }
        }
    }

    /// Compares a reader with one that has just started.
    private func compare(
        _ lived: OracleWorld.Reader,
        _ world: OracleWorld,
        using random: inout SplitMix64
    ) async throws {
        for question in questions(world, isThorough: false, using: &random) {
            let fresh = world.reader()
            let series = question.query + "&metric=new&granularity=day&split=platform"
            let breakdown = question.query + "&dimension=os_name"
            let retention = question.query + "&cohort=day&periods=7"
            #expect(
                try await figures(lived, SummaryAPI.self, question.query)
                    == figures(fresh, SummaryAPI.self, question.query),
                "\(question.query)"
            )
            #expect(
                try await figures(lived, TimeseriesAPI.self, series)
                    == figures(fresh, TimeseriesAPI.self, series),
                "\(series)"
            )
            #expect(
                try await figures(lived, BreakdownAPI.self, breakdown)
                    == figures(fresh, BreakdownAPI.self, breakdown),
                "\(breakdown)"
            )
            #expect(
                try await figures(lived, RetentionAPI.self, retention)
                    == figures(fresh, RetentionAPI.self, retention),
                "\(retention)"
            )
        }
    }

    /// An answer without when it was given.
    private func figures<Report: AudienceAPI>(
        _ reader: OracleWorld.Reader,
        _ type: Report.Type,
        _ query: String
    ) async throws -> String {
        let text = String(decoding: try await reader.answer(type, query), as: UTF8.self)
        return text.split(separator: "\"as_of\"").first.map(String.init) ?? ""
    }

    private func checkAll(
        _ reader: OracleWorld.Reader,
        _ world: OracleWorld,
        isThorough: Bool,
        using random: inout SplitMix64
    ) async throws {
        for environment in AppEnvironment.allCases {
            try await OracleTables(app: world.app.number, environment: environment, zone: world.zone)
                .make(world.connection)
            let oracle = ReportOracle(connection: world.connection, zone: world.zone)
            for var question in questions(world, isThorough: isThorough, using: &random) {
                question.environment = environment
                let check = OracleCheck(reader: reader, oracle: oracle, question: question)
                try await self.check(check, isThorough: isThorough, using: &random)
            }
        }
    }

    private func check(
        _ check: OracleCheck,
        isThorough: Bool,
        using random: inout SplitMix64
    ) async throws {
        func some<Value>(_ values: [Value]) -> [Value] {
            isThorough ? values : Array(values.shuffled(using: &random).prefix(1))
        }
        try await check.summary()
        try await check.rolling()
        for metric in some(["active", "new", "sessions", "avg_duration_ms"]) {
            for granularity in some(["day", "week", "month"]) { try await check.series(metric, granularity) }
            try await check.splits(metric, "day")
            guard check.question.dayCount <= TimeseriesAPI.hourlyDaysMax else { continue }
            try await check.series(metric, "hour")
            try await check.splits(metric, "hour")
        }
        for dimension in some(ReportDimension.allCases) { try await check.breakdown(dimension.rawValue) }
        try await check.retention("day", periods: 7)
        try await check.retention("week", periods: 3)
    }

    private func questions(
        _ world: OracleWorld,
        isThorough: Bool,
        using random: inout SplitMix64
    ) -> [OracleQuestion] {
        let (start, count) = (world.world.firstDay, world.world.days)
        let whole = (start.advanced(by: -3), start.advanced(by: count + 3))
        let first = start.advanced(by: .random(in: 0..<count, using: &random))
        let part = (first, first.advanced(by: .random(in: 0..<6, using: &random)))
        var questions: [OracleQuestion] = []
        for unit in OracleQuestion.units {
            for filter in OracleQuestion.filters(using: &random) {
                for (first, last) in isThorough
                    ? [whole, part] : [Bool.random(using: &random) ? whole : part]
                {
                    questions.append(OracleQuestion(first: first, last: last, unit: unit, filter: filter))
                }
            }
        }
        return questions
    }
}
