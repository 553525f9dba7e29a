/// One metric over consecutive buckets of closed days.
enum AudienceSeries {
    enum Metric: String, Sendable, CaseIterable {
        case active, new, sessions
        case averageDurationMs = "avg_duration_ms"
    }

    /// A value for each span; nil where an average has nothing to average, and what totals of frozen days cannot tell.
    static func values(
        _ metric: Metric,
        _ data: ReportData,
        _ question: ReportQuestion,
        _ spans: [DaySpan]
    ) -> [Int64?] {
        let buckets = spans.map { data.days(from: $0.first, through: $0.last) }
        var values = closedValues(metric, data, question, buckets)
        for (index, span) in spans.enumerated() where !data.frozen.days(span).isEmpty {
            let totals = AudienceReport.totals(data, question, span)
            values[index] =
                switch metric {
                case .active: totals.active.map(Int64.init)
                case .new: totals.new.map(Int64.init)
                case .sessions: totals.sessions.map(Int64.init)
                case .averageDurationMs: totals.averageDurationMs
                }
        }
        return values
    }

    private static func closedValues(
        _ metric: Metric,
        _ data: ReportData,
        _ question: ReportQuestion,
        _ buckets: [ArraySlice<ResolvedDay>]
    ) -> [Int64?] {
        let matches = data.contexts.matches(question.filter)
        switch metric {
        case .active: return active(data, question, buckets, matches)
        case .new: return new(question, buckets, matches)
        case .sessions: return buckets.map { Int64(sums($0, matches).sessions) }
        case .averageDurationMs: return buckets.map { sums($0, matches).averageMs }
        }
    }

    private static func sums(_ days: ArraySlice<ResolvedDay>, _ matches: [Bool]) -> SessionSums {
        var sums = SessionSums()
        for day in days {
            for group in day.scan.groups where matches[group.context] { sums.add(group) }
        }
        return sums
    }

    private static func active(
        _ data: ReportData,
        _ question: ReportQuestion,
        _ buckets: [ArraySlice<ResolvedDay>],
        _ matches: [Bool]
    ) -> [Int64?] {
        let isWhole = question.filter.isEmpty
        let counts = Parallel.map(Parallel.pieces(buckets[...])) { piece in
            var set = NumberSet(limit: data.people.subjectLimit(question.unit))
            return piece.map { days -> Int64? in
                if isWhole, days.count == 1, let day = days.first {
                    return Int64(day.subjectCount(question.unit))
                }
                guard !days.isEmpty else { return 0 }
                set.removeAll()
                for day in days {
                    let subjects = day.subjects(question.unit)
                    for group in day.scan.groups where matches[group.context] {
                        set.insert(subjects, group.entries)
                    }
                }
                return Int64(set.count)
            }
        }
        return counts.flatMap(\.self)
    }

    /// Those whose first event lies in the bucket, among those active on its day.
    private static func new(
        _ question: ReportQuestion,
        _ buckets: [ArraySlice<ResolvedDay>],
        _ matches: [Bool]
    ) -> [Int64?] {
        buckets.map { days in
            days.reduce(0) { count, day in
                let newcomers = day.newcomers(question.unit)
                if question.filter.isEmpty { return count + Int64(newcomers.count) }
                return count + Int64(newcomers.count { matches[Int($0.context)] })
            }
        }
    }
}
