/// One metric over consecutive buckets of closed days.
enum AudienceSeries {
    enum Metric: String, Sendable, CaseIterable {
        case active, new, sessions
        case averageDurationMs = "avg_duration_ms"
    }

    /// A value for each bucket; nil where an average has nothing to average.
    static func values(
        _ metric: Metric,
        _ data: ReportData,
        _ question: ReportQuestion,
        buckets: [ArraySlice<ResolvedDay>]
    ) -> [Int64?] {
        let matches = data.contexts.matches(question.filter)
        switch metric {
        case .active: return active(data, question, buckets, matches)
        case .new: return new(data, question, buckets, matches)
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

    /// Those whose first event lies in the bucket, among the bucket's active.
    private static func new(
        _ data: ReportData,
        _ question: ReportQuestion,
        _ buckets: [ArraySlice<ResolvedDay>],
        _ matches: [Bool]
    ) -> [Int64?] {
        var newcomers = Newcomers(data, question.unit, buckets: buckets)
        return buckets.indices.map { bucket in
            var count: Int64 = 0
            newcomers.take(bucket, of: buckets[bucket]) { first in
                if question.filter.isEmpty || matches[data.contexts.position(of: first.context)] {
                    count += 1
                }
            }
            return count
        }
    }
}

/// Who is new in which bucket: those whose first event lies in a closed day of it, and who are active in it.
struct Newcomers {
    private let data: ReportData
    private let unit: ReportUnit
    /// By subject: the bucket of the first event, or -1; also -1 once taken.
    private var bucket: [Int16]

    init(_ data: ReportData, _ unit: ReportUnit, buckets: [ArraySlice<ResolvedDay>]) {
        self.data = data
        self.unit = unit
        bucket = [Int16](repeating: -1, count: data.people.subjectLimit(unit))
        let days = buckets.flatMap(\.self)[...]
        guard let first = days.first, let last = days.last else { return }
        let bucketOfDay = buckets.indices.flatMap { index in buckets[index].map { _ in Int16(index) } }
        let span = first.bounds.lowerBound..<last.bounds.upperBound
        for subject in 1..<max(1, bucket.count) {
            let ms = data.people.first(of: subject, unit: unit).ms
            guard span.contains(ms), let day = data.day(ofMs: ms, in: days) else { continue }
            bucket[subject] = bucketOfDay[day]
        }
    }

    /// Names each newcomer of a bucket once, with the first event.
    mutating func take(_ index: Int, of days: ArraySlice<ResolvedDay>, _ body: (PeopleMap.First) -> Void) {
        let (people, unit) = (data.people, unit)
        takeSubjects(index, of: days) { body(people.first(of: $0, unit: unit)) }
    }

    mutating func takeSubjects(_ index: Int, of days: ArraySlice<ResolvedDay>, _ body: (Int) -> Void) {
        let wanted = Int16(truncatingIfNeeded: index)
        for day in days {
            for subject in day.subjects(unit) where bucket[Int(subject)] == wanted {
                bucket[Int(subject)] = -1
                body(Int(subject))
            }
        }
    }
}
