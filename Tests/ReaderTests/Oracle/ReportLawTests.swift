import Calendar
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// What must hold between answers whatever the data: the same metric is the same number wherever it is shown.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ReportLawTests {
    @Test(arguments: Array(UInt64(80)...83))
    func answersAgreeWithEachOther(seed: UInt64) async throws {
        try await withOracleWorld(seed: seed, days: 7, sessions: 120) { world in
            try await world.store(world.world.messages)
            try await world.close()
            let reader = world.reader()
            var random = world.world.random
            for unit in OracleQuestion.units {
                for filter in OracleQuestion.filters(using: &random) {
                    let question = OracleQuestion(
                        first: world.world.firstDay,
                        last: world.world.firstDay.advanced(by: 6),
                        unit: unit,
                        filter: filter
                    )
                    let laws = ReportLaws(reader: reader, question: question)
                    try await laws.additiveMetricsAddUp()
                    try await laws.rollingWindowsGrow()
                    try await laws.breakdownsAddUp()
                    try await laws.platformsPartitionSessions()
                    try await laws.newPeopleAreTheCohorts()
                    try await laws.comparisonIsTheEarlierAnswer()
                }
            }
        }
    }
}

private struct ReportLaws {
    let reader: OracleWorld.Reader
    let question: OracleQuestion

    private func summary(_ question: OracleQuestion) async throws -> SummaryAnswer.Figures {
        try await reader.figures(SummaryAPI.self, question.query + "&compare=none", as: SummaryAnswer.self)
            .figures
    }

    private func series(_ metric: String, _ granularity: String) async throws -> [SeriesAnswer.Point] {
        let query = question.query + "&compare=none&metric=\(metric)&granularity=\(granularity)"
        return try await reader.figures(TimeseriesAPI.self, query, as: SeriesAnswer.self).points
    }

    func additiveMetricsAddUp() async throws {
        let summary = try await summary(question)
        for (metric, total) in [("sessions", summary.sessions), ("new", summary.new)] {
            for granularity in ["hour", "day", "week", "month"] {
                let sum = try await series(metric, granularity).reduce(0) { $0 + ($1.value ?? 0) }
                #expect(sum == total, "\(metric) by \(granularity): \(question.query)")
            }
            let days = try await series(metric, "day")
            var byDate: [Substring: Int] = [:]
            for hour in try await series(metric, "hour") {
                byDate[hour.ts.prefix(10), default: 0] += hour.value ?? 0
            }
            for day in days { #expect(byDate[day.ts.prefix(10)] == day.value, "\(metric) on \(day.ts)") }
        }
    }

    func rollingWindowsGrow() async throws {
        let rolling = try await reader.figures(
            RollingActiveAPI.self,
            question.query,
            as: RollingAnswer.self
        ).points
        for point in rolling {
            #expect(point.dau <= point.wau && point.wau <= point.mau, "\(point.ts): \(question.query)")
        }
        #expect(try await series("active", "day").map(\.value) == rolling.map(\.dau), "\(question.query)")
        var day = question
        day.last = day.first
        #expect(try await summary(day).active == rolling.first?.dau)
        // The range is a week: whoever was active in it was active in the seven days before its end.
        #expect(try await summary(question).active == rolling.last?.wau)
    }

    func breakdownsAddUp() async throws {
        let summary = try await summary(question)
        for dimension in ReportDimension.allCases {
            let query = question.query + "&compare=none&dimension=\(dimension.rawValue)"
            let answer = try await reader.figures(BreakdownAPI.self, query, as: BreakdownAnswer.self)
            #expect(answer.total.active == summary.active, "\(query)")
            #expect(answer.total.new == summary.new, "\(query)")
            #expect(answer.total.sessions == summary.sessions, "\(query)")
            #expect(answer.total.avgDurationMs == summary.avgDurationMs, "\(query)")
            #expect(answer.items.reduce(0) { $0 + $1.sessions } == summary.sessions, "\(query)")
            #expect(answer.items.reduce(0) { $0 + $1.new } == summary.new, "\(query)")
            #expect(answer.items.allSatisfy { $0.active <= summary.active }, "\(query)")
            #expect(answer.items.reduce(0) { $0 + $1.active } >= summary.active, "\(query)")
            #expect(
                answer.items.map(\.active) == answer.items.map(\.active).sorted(by: >),
                "the most active come first: \(query)"
            )
        }
    }

    func platformsPartitionSessions() async throws {
        let whole = try await summary(question)
        guard question.filter["platform"] == nil else { return }
        var (sessions, new) = (0, 0)
        for platform in ["ios", "android", "web", "other"] {
            let part = try await summary(question.with("platform", platform))
            sessions += part.sessions
            new += part.new
        }
        #expect(sessions == whole.sessions)
        #expect(new == whole.new)
    }

    func newPeopleAreTheCohorts() async throws {
        let new = try await summary(question).new
        for (cohort, granularity) in [("day", "day"), ("week", "week")] {
            let query = question.query + "&cohort=\(cohort)&periods=2"
            let answer = try await reader.figures(RetentionAPI.self, query, as: RetentionAnswer.self)
            // Cohorts that are still to come are left out, and nobody can be new in them.
            let sizes = answer.cohorts.map(\.size)
            let series = try await series("new", granularity).map { $0.value ?? 0 }
            #expect(Array(series.prefix(sizes.count)) == sizes, "\(query)")
            if sizes.count == series.count { #expect(sizes.reduce(0, +) == new, "\(query)") }
            for cohort in answer.cohorts where question.filter.isEmpty {
                #expect(cohort.returned[0] ?? cohort.size == cohort.size, "all were there: \(query)")
            }
        }
    }

    func comparisonIsTheEarlierAnswer() async throws {
        var later = question
        later.first = question.first.advanced(by: 3)
        later.last = question.last.advanced(by: 3)
        let answer = try await reader.figures(SummaryAPI.self, later.query, as: SummaryAnswer.self)
        #expect(answer.compare == (try await summary(later.previous)), "\(later.query)")
    }
}
