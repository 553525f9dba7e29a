import Calendar
import Contracts
import Testing

@testable import ReaderCore

/// Compares what a reader answers about ranges with frozen days with what can be known of them.
struct FrozenCheck {
    static let metrics = ["active", "new", "sessions", "avg_duration_ms"]

    let reader: OracleWorld.Reader
    let oracle: FrozenOracle
    let question: OracleQuestion

    private var query: String { question.query }

    func summary() async throws {
        let answer = try await reader.figures(SummaryAPI.self, query, as: FrozenSummary.self)
        #expect(try await oracle.figures(question) == answer.figures.known, "summary: \(query)")
        let before = question.previous
        #expect(try await oracle.figures(before) == answer.compare.known, "compared: \(query)")
        try await expect(answer.coverage, from: before.first)
    }

    /// The marker is there where totals were used, and only there.
    private func expect(_ coverage: FrozenCoverage?, from first: LocalDay) async throws {
        let hasTotals = try await oracle.hasTotals(first, question.last)
        #expect(coverage?.totalsOnlyBefore == (hasTotals ? oracle.keptFrom?.description : nil), "\(query)")
    }

    func rolling() async throws {
        let answer = try await reader.figures(RollingActiveAPI.self, query, as: FrozenRolling.self)
        #expect(answer.points.count == question.dayCount)
        for (offset, point) in answer.points.enumerated() {
            var window = question
            window.last = question.first.advanced(by: offset)
            for (days, found) in [(1, point.dau), (7, point.wau), (30, point.mau)] {
                window.first = window.last.advanced(by: 1 - days)
                #expect(try await oracle.figures(window).active == found, "\(point.ts) \(days): \(query)")
            }
        }
        try await expect(answer.coverage, from: question.first.advanced(by: -29))
    }

    func series(_ metric: String, _ granularity: String) async throws {
        let query = query + "&compare=none&metric=\(metric)&granularity=\(granularity)"
        let answer = try await reader.figures(TimeseriesAPI.self, query, as: FrozenSeries.self)
        try await expect(answer.points, metric, granularity, question)
        try await expect(answer.coverage, from: question.first)
    }

    func splits(_ metric: String) async throws {
        let query = query + "&metric=\(metric)&granularity=week&split=platform"
        let answer = try await reader.figures(TimeseriesAPI.self, query, as: FrozenSeries.self)
        let splits = try #require(answer.splits)
        let found = Set(splits.map(\.platform))
        #expect(try await oracle.oracle.platforms(question).isSubset(of: found), "\(query)")
        for split in splits {
            try await expect(split.points, metric, "week", question.with("platform", split.platform))
        }
    }

    private func expect(
        _ points: [SeriesAnswer.Point],
        _ metric: String,
        _ granularity: String,
        _ question: OracleQuestion
    ) async throws {
        var seen = 0
        for point in points {
            let label = try #require(LocalDay(String(point.ts.prefix(10))))
            var bucket = question
            bucket.first = max(label, question.first)
            bucket.last = min(end(label, granularity), question.last)
            seen += bucket.dayCount
            let known = try await oracle.figures(bucket).value(metric)
            #expect(known == point.value, "\(point.ts) \(metric) \(granularity): \(question.query)")
        }
        #expect(seen == question.dayCount)
    }

    private func end(_ label: LocalDay, _ granularity: String) -> LocalDay {
        switch granularity {
        case "day": label
        case "week": label.advanced(by: 6)
        default: label.advanced(by: 31).firstOfMonth.advanced(by: -1)
        }
    }

    func breakdown(_ dimension: String) async throws {
        let query = query + "&compare=none&dimension=\(dimension)"
        let answer = try await reader.figures(BreakdownAPI.self, query, as: FrozenBreakdown.self)
        let total = try await oracle.figures(question)
        #expect(answer.total.known == total.withoutMedian, "total: \(query)")
        let values = Set(try await oracle.oracle.breakdown(dimension, question).keys)
        #expect(values.isSubset(of: answer.items.map(\.value)), "\(query)")
        for item in answer.items {
            let expected = try await oracle.figures(question.with(dimension, item.value ?? ""))
            #expect(item.figures.known == expected.withoutMedian, "\(item.value ?? "-"): \(query)")
            let isShareKnown = expected.active != nil && (total.active ?? 0) > 0
            #expect((item.share != nil) == isShareKnown, "share of \(item.value ?? "-"): \(query)")
        }
        if question.filter.isEmpty { #expect(Set(answer.items.map(\.value)) == values, "\(query)") }
    }

    func retention(_ length: String, periods: Int) async throws {
        let query = query + "&cohort=\(length)&periods=\(periods)"
        let answer = try await reader.figures(RetentionAPI.self, query, as: FrozenRetention.self)
        let expected = try await oracle.oracle.retention(length, periods: periods, question)
        #expect(answer.cohorts.map(\.from) == expected.keys.sorted(), "\(query)")
        for cohort in answer.cohorts {
            var own = question
            own.first = try #require(LocalDay(cohort.from))
            own.last = try #require(LocalDay(cohort.to))
            let size = try await oracle.figures(own).new
            #expect(cohort.size == size, "\(cohort.from): \(query)")
            if try await isFollowed(own) {
                #expect(cohort.returned == expected[cohort.from]?.returned, "\(cohort.from): \(query)")
            } else {
                let nothing = [Int?](repeating: nil, count: periods + 1)
                #expect(cohort.returned == nothing, "\(cohort.from): \(query)")
            }
        }
    }

    /// Whether nobody of a cohort is known as a number only.
    private func isFollowed(_ cohort: OracleQuestion) async throws -> Bool {
        guard let keptFrom = oracle.keptFrom, cohort.first < keptFrom else { return true }
        var frozen = cohort
        frozen.last = min(cohort.last, keptFrom.advanced(by: -1))
        return try await oracle.figures(frozen).new == 0
    }
}

extension KnownFigures {
    var withoutMedian: KnownFigures {
        var figures = self
        figures.medianDurationMs = nil
        return figures
    }
}
