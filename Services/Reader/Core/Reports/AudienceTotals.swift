import Wire

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
public enum AudienceReport {
    public static func totals(
        _ data: ReportData,
        _ question: ReportQuestion,
        days: some Sequence<ReportDay>
    ) -> AudienceTotals {
        var scan = AudienceScan(data, question)
        for day in days { scan.add(day) }
        return scan.totals
    }
}

private struct AudienceScan {
    private let data: ReportData
    private let question: ReportQuestion
    private var matching: NumberSet
    /// Without regard to the filter; the same as `matching` when there is none.
    private var everybody: NumberSet
    private var days: [Range<Int64>] = []
    private var durations: [Int32] = []
    private var sessions = 0

    init(_ data: ReportData, _ question: ReportQuestion) {
        self.data = data
        self.question = question
        let limit = data.people.subjectLimit(question.unit)
        matching = NumberSet(limit: limit)
        everybody = NumberSet(limit: question.filter.isEmpty ? 0 : limit)
    }

    mutating func add(_ day: ReportDay) {
        days.append(day.bounds)
        for group in day.block.groups {
            let isMatch = matches(group.context)
            for row in group.rows {
                let subject = data.people.subject(
                    install: day.block.install[row],
                    user: day.block.user[row],
                    unit: question.unit
                )
                // A person who is being erased may have rows left for a moment; nobody is counted for them.
                guard subject > 0 else { continue }
                if !question.filter.isEmpty { everybody.insert(subject) }
                guard isMatch else { continue }
                matching.insert(subject)
                guard day.block.isSession[row] else { continue }
                sessions += 1
                if day.block.durationMs[row] >= 0 { durations.append(day.block.durationMs[row]) }
            }
        }
    }

    private func matches(_ context: Int32) -> Bool {
        if question.filter.isEmpty { return true }
        guard let known = data.contexts[context] else { return false }
        return question.filter.matches(known)
    }

    var totals: AudienceTotals {
        AudienceTotals(
            active: matching.count,
            new: newCount,
            sessions: sessions,
            averageDurationMs: Durations.average(durations),
            medianDurationMs: Durations.median(durations)
        )
    }

    private var newCount: Int {
        var count = 0
        let candidates = question.filter.isEmpty ? matching : everybody
        candidates.forEach { subject in
            let first = data.people.first(of: subject, unit: question.unit)
            guard days.contains(where: { $0.contains(first.ms) }), matches(first.context) else { return }
            count += 1
        }
        return count
    }
}

/// Averages in whole milliseconds, halves rounded up.
enum Durations {
    static func average(_ values: [Int32]) -> Int64? {
        guard !values.isEmpty else { return nil }
        let sum = values.reduce(Int64(0)) { $0 + Int64($1) }
        let count = Int64(values.count)
        return (2 * sum + count) / (2 * count)
    }

    /// The middle value, or the mean of the two middle ones.
    static func median(_ values: [Int32]) -> Int64? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return Int64(sorted[middle]) }
        return (Int64(sorted[middle - 1]) + Int64(sorted[middle]) + 1) / 2
    }
}
