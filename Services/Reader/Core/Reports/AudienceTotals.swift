/// The figures of one span of days; nil is what the totals of frozen days cannot tell.
public struct AudienceTotals: Sendable, Equatable {
    public var active: Int? = 0
    public var new: Int? = 0
    public var sessions: Int? = 0
    /// Of sessions with an end; nil without any.
    public var averageDurationMs: Int64?
    public var medianDurationMs: Int64?
}

/// Computes the figures of any span of closed days, exactly.
///
/// Active counts each subject once over the span, so the figure of a week is never the sum of its days. New are those whose first event
/// lies in the span and, with filters, matches them; they are looked for among those active on the day of that event, so that both figures
/// always tell of the same closed days, and new of a span is the sum of its days.
enum AudienceReport {
    /// The figures of a span, whether its days are there in full or as totals.
    static func totals(_ data: ReportData, _ question: ReportQuestion, _ span: DaySpan) -> AudienceTotals {
        let frozen = data.frozen.counts(question, span)
        var (counts, median) = figures(data, question, days: data.days(from: span.first, through: span.last))
        counts.add(frozen: frozen)
        // Durations themselves are gone.
        if frozen.contains(where: { $0.sums?.ended != 0 }) { median = nil }
        return AudienceTotals(counts, medianDurationMs: median)
    }

    static func totals(
        _ data: ReportData,
        _ question: ReportQuestion,
        days: ArraySlice<ResolvedDay>
    ) -> AudienceTotals {
        let (counts, median) = figures(data, question, days: days)
        return AudienceTotals(counts, medianDurationMs: median)
    }

    private static func figures(
        _ data: ReportData,
        _ question: ReportQuestion,
        days: ArraySlice<ResolvedDay>
    ) -> (counts: AudienceCounts, medianDurationMs: Int64?) {
        let matches = data.contexts.matches(question.filter)
        let parts = Parallel.map(Parallel.pieces(days)) { piece in
            var part = AudiencePart(data, question)
            for day in piece { part.add(day, matches) }
            return part
        }
        guard var whole = parts.first else { return (AudienceCounts(), nil) }
        for part in parts.dropFirst() { whole.add(part) }
        let counts = AudienceCounts(
            active: whole.matching.count,
            new: newCount(days, question, matches),
            sums: whole.sums
        )
        return (counts, whole.runs.median)
    }

    private static func newCount(
        _ days: ArraySlice<ResolvedDay>,
        _ question: ReportQuestion,
        _ matches: [Bool]
    ) -> Int {
        days.reduce(0) { count, day in
            let newcomers = day.newcomers(question.unit)
            if question.filter.isEmpty { return count + newcomers.count }
            return count + newcomers.count { matches[Int($0.context)] }
        }
    }
}

extension AudienceTotals {
    init(_ counts: AudienceCounts, medianDurationMs: Int64?) {
        self.init(
            active: counts.active,
            new: counts.new,
            sessions: counts.sums?.sessions,
            averageDurationMs: counts.sums?.averageMs,
            medianDurationMs: medianDurationMs
        )
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
    private let question: ReportQuestion
    var matching: NumberSet
    var sums = SessionSums()
    var runs = SortedRuns()

    init(_ data: ReportData, _ question: ReportQuestion) {
        self.question = question
        matching = NumberSet(limit: data.people.subjectLimit(question.unit))
    }

    mutating func add(_ day: ResolvedDay, _ matches: [Bool]) {
        let subjects = day.subjects(question.unit)
        var ended: [Range<Int>] = []
        for group in day.scan.groups where question.filter.isEmpty || matches[group.context] {
            matching.insert(subjects, group.entries)
            sums.add(group)
            ended.append(group.durations)
        }
        runs.add(day.scan.durationsMs, ended)
    }

    mutating func add(_ other: AudiencePart) {
        matching.formUnion(other.matching)
        sums.add(other.sums)
        runs.add(other.runs)
    }
}
