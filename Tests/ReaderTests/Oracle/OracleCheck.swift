import Calendar
import Contracts
import Foundation
import Testing

@testable import ReaderCore

/// Compares what a reader answers with the oracle, report by report.
struct OracleCheck {
    let reader: OracleWorld.Reader
    let oracle: ReportOracle
    let question: OracleQuestion

    private var query: String { question.query }

    func summary() async throws {
        let answer = try await reader.figures(
            SummaryAPI.self,
            query + "&compare=none",
            as: SummaryAnswer.self
        )
        let found = ReportOracle.Figures(
            active: answer.figures.active,
            new: answer.figures.new,
            sessions: answer.figures.sessions,
            averageDurationMs: answer.figures.avgDurationMs,
            medianDurationMs: answer.figures.medianDurationMs
        )
        #expect(try await oracle.summary(question) == found, "summary: \(query)")
    }

    func series(_ metric: String, _ granularity: String) async throws {
        let query = query + "&metric=\(metric)&granularity=\(granularity)"
        let answer = try await reader.figures(TimeseriesAPI.self, query, as: SeriesAnswer.self)
        try await expect(answer.points, metric, granularity, question)
        let compared = try #require(answer.compare)
        try await expect(compared.points, metric, granularity, question.previous)
    }

    func splits(_ metric: String, _ granularity: String) async throws {
        let query = query + "&metric=\(metric)&granularity=\(granularity)&split=platform"
        let answer = try await reader.figures(TimeseriesAPI.self, query, as: SplitSeriesAnswer.self)
        #expect(Set(answer.splits.map(\.platform)) == (try await oracle.platforms(question)), "\(query)")
        for split in answer.splits {
            try await expect(split.points, metric, granularity, question.with("platform", split.platform))
        }
    }

    private func expect(
        _ points: [SeriesAnswer.Point],
        _ metric: String,
        _ granularity: String,
        _ question: OracleQuestion
    ) async throws {
        let expected = try await oracle.series(metric, granularity, question)
        let none = metric == "avg_duration_ms" ? nil : 0
        let labels = try points.map { try Self.label($0.ts, granularity) }
        #expect(Set(labels).count == labels.count)
        #expect(Set(expected.keys).isSubset(of: labels), "\(metric) \(granularity): \(question.query)")
        #expect(
            points.map(\.value) == labels.map { expected[$0] ?? none },
            "\(metric) \(granularity): \(question.query)"
        )
    }

    private static func label(_ ts: String, _ granularity: String) throws -> String {
        guard granularity == "hour" else { return String(ts.prefix(10)) }
        let moment = try #require(ISO8601DateFormatter().date(from: ts))
        return String(Int64(moment.timeIntervalSince1970))
    }

    func rolling() async throws {
        let answer = try await reader.figures(
            RollingActiveAPI.self,
            query + "&compare=none",
            as: RollingAnswer.self
        )
        let expected = try await oracle.rolling(question)
        #expect(answer.points.count == question.dayCount)
        for point in answer.points {
            #expect(
                expected[String(point.ts.prefix(10))] == [point.dau, point.wau, point.mau],
                "\(point.ts) rolling: \(query)"
            )
        }
    }

    func breakdown(_ dimension: String) async throws {
        let query = query + "&dimension=\(dimension)"
        let answer = try await reader.figures(BreakdownAPI.self, query, as: BreakdownAnswer.self)
        let expected = try await oracle.breakdown(dimension, question)
        let earlier = try await oracle.breakdown(dimension, question.previous)
        #expect(Set(answer.items.map(\.value)) == Set(expected.keys).union(earlier.keys), "\(query)")
        for item in answer.items {
            #expect(item.figures == Self.figures(expected[item.value]), "\(item.value ?? "-"): \(query)")
            #expect(
                item.compare?.figures == Self.figures(earlier[item.value]),
                "\(item.value ?? "-") before: \(query)"
            )
        }
        let total = try await oracle.summary(question)
        #expect(answer.total == Self.figures(total), "total: \(query)")
        let before = try await oracle.summary(question.previous)
        #expect(answer.compare?.total == Self.figures(before), "total before: \(query)")
    }

    private static func figures(_ figures: ReportOracle.Figures?) -> BreakdownAnswer.Figures {
        BreakdownAnswer.Figures(
            active: figures?.active ?? 0,
            new: figures?.new ?? 0,
            sessions: figures?.sessions ?? 0,
            avgDurationMs: figures?.averageDurationMs
        )
    }

    func retention(_ length: String, periods: Int) async throws {
        let query = query + "&cohort=\(length)&periods=\(periods)"
        let answer = try await reader.figures(RetentionAPI.self, query, as: RetentionAnswer.self)
        let expected = try await oracle.retention(length, periods: periods, question)
        #expect(answer.cohorts.map(\.from) == expected.keys.sorted(), "\(query)")
        for cohort in answer.cohorts {
            let found = ReportOracle.Cohort(size: cohort.size, returned: cohort.returned)
            #expect(expected[cohort.from] == found, "\(cohort.from) retention: \(query)")
            for (share, returned) in zip(cohort.retention, cohort.returned) {
                #expect(share == returned.flatMap { Self.share($0, of: cohort.size) })
            }
        }
        for period in 0...periods {
            let over = expected.values.filter { $0.returned[period] != nil }
            let returned = over.reduce(0) { $0 + ($1.returned[period] ?? 0) }
            let average = Self.share(returned, of: over.reduce(0) { $0 + $1.size })
            #expect(answer.average[period] == average, "average of \(period): \(query)")
        }
    }

    /// With four decimals; nil of nothing.
    private static func share(_ part: Int, of whole: Int) -> Double? {
        guard whole > 0 else { return nil }
        return (Double(part) / Double(whole) * 10_000 + 1e-9).rounded() / 10_000
    }
}
