/// The figures of one span of days.
public struct AudienceTotals: Sendable, Equatable {
    public var active = 0
    public var new = 0
    public var sessions = 0
    /// Of sessions with an end; nil without any.
    public var averageDurationMs: Int64?
    public var medianDurationMs: Int64?
}

/// Computes the figures of any span of closed days, exactly.
///
/// Active counts each subject once over the span, so the figure of a week is never the sum of its days. New are those whose first event
/// lies in the span and, with filters, matches them; they are looked for among the span's active, so that both figures always tell of the
/// same closed days.
enum AudienceReport {
    static func totals(
        _ data: ReportData,
        _ question: ReportQuestion,
        days: ArraySlice<ResolvedDay>
    ) -> AudienceTotals {
        let matches = data.contexts.matches(question.filter)
        let parts = Parallel.map(Parallel.pieces(days)) { piece in
            var part = AudiencePart(data, question)
            for day in piece { part.add(day, matches) }
            return part
        }
        guard var whole = parts.first else { return AudienceTotals() }
        for part in parts.dropFirst() { whole.add(part) }
        return AudienceTotals(
            active: whole.matching.count,
            new: newCount(whole, data, question, days, matches),
            sessions: whole.sums.sessions,
            averageDurationMs: whole.sums.averageMs,
            medianDurationMs: whole.runs.median
        )
    }

    private static func newCount(
        _ whole: AudiencePart,
        _ data: ReportData,
        _ question: ReportQuestion,
        _ days: ArraySlice<ResolvedDay>,
        _ matches: [Bool]
    ) -> Int {
        guard let first = days.first, let last = days.last else { return 0 }
        let span = first.bounds.lowerBound..<last.bounds.upperBound
        var count = 0
        (whole.everybody ?? whole.matching).forEach { subject in
            let first = data.people.first(of: subject, unit: question.unit)
            guard span.contains(first.ms), data.day(ofMs: first.ms, in: days) != nil else { return }
            if matches[data.contexts.position(of: first.context)] || question.filter.isEmpty { count += 1 }
        }
        return count
    }
}

/// Sums over sessions.
struct SessionSums: Sendable, Equatable {
    var sessions = 0
    var ended = 0
    var durationMs: Int64 = 0

    mutating func add(_ group: ScanDay.Group) {
        sessions += group.sessions
        ended += group.durations.count
        durationMs += group.durationMsSum
    }

    mutating func add(_ other: SessionSums) {
        sessions += other.sessions
        ended += other.ended
        durationMs += other.durationMs
    }

    /// In whole milliseconds, halves rounded up; nil without a session that ended.
    var averageMs: Int64? {
        guard ended > 0 else { return nil }
        return (2 * durationMs + Int64(ended)) / (2 * Int64(ended))
    }
}

/// What some of the days came to.
private struct AudiencePart: Sendable {
    private let unit: ReportUnit
    var matching: NumberSet
    /// Without regard to the filter; nil when there is none.
    var everybody: NumberSet?
    var sums = SessionSums()
    var runs = SortedRuns()

    init(_ data: ReportData, _ question: ReportQuestion) {
        unit = question.unit
        let limit = data.people.subjectLimit(question.unit)
        matching = NumberSet(limit: limit)
        everybody = question.filter.isEmpty ? nil : NumberSet(limit: limit)
    }

    mutating func add(_ day: ResolvedDay, _ matches: [Bool]) {
        let subjects = day.subjects(unit)
        everybody?.insert(subjects, subjects.indices)
        var ended: [Range<Int>] = []
        for group in day.scan.groups where everybody == nil || matches[group.context] {
            matching.insert(subjects, group.entries)
            sums.add(group)
            ended.append(group.durations)
        }
        runs.add(day.scan.durationsMs, ended)
    }

    mutating func add(_ other: AudiencePart) {
        matching.formUnion(other.matching)
        if let set = other.everybody { everybody?.formUnion(set) }
        sums.add(other.sums)
        runs.add(other.runs)
    }
}
