import Calendar
import Wire

/// One metric by local hour, from the rows of blocks themselves: the scan layout keeps no times.
///
/// A session makes its person active in every hour from its start to its last event, and counts with its duration in the hour it began;
/// so hours of additive metrics add up to their day.
enum HourlySeries {
    /// - Parameter starts: first instants of the hours of the day, ascending; the first is the day's.
    static func values(
        _ metric: AudienceSeries.Metric,
        of day: ReportDay,
        starts: [Int64],
        _ data: ReportData,
        _ question: ReportQuestion
    ) -> [Int64?] {
        guard !starts.isEmpty else { return [] }
        var scan = HourScan(day, starts, data, question)
        scan.run(needsPeople: metric == .active || metric == .new)
        return starts.indices.map { hour in
            switch metric {
            case .active: Int64(scan.active[hour].count)
            case .new: Int64(scan.new[hour])
            case .sessions: Int64(scan.sums[hour].sessions)
            case .averageDurationMs: scan.sums[hour].averageMs
            }
        }
    }

    /// Of each hour of a day that has no rows: hours of nothing, or not known any more.
    static func value(
        _ metric: AudienceSeries.Metric,
        ofDayWithoutRows day: LocalDay,
        _ data: ReportData,
        _ question: ReportQuestion
    ) -> Int64? {
        var counts = AudienceCounts()
        counts.add(frozen: data.frozen.counts(question, DaySpan(first: day, last: day)))
        let total: Int? =
            switch metric {
            case .active: counts.active
            case .new: counts.new
            case .sessions: counts.sums?.sessions
            case .averageDurationMs: nil
            }
        return total == 0 ? 0 : nil
    }
}

private struct HourScan {
    private let day: ReportDay
    private let starts: [Int64]
    private let data: ReportData
    private let question: ReportQuestion
    private let matches: [Bool]
    var active: [Set<Int32>]
    var new: [Int]
    var sums: [SessionSums]

    init(_ day: ReportDay, _ starts: [Int64], _ data: ReportData, _ question: ReportQuestion) {
        self.day = day
        self.starts = starts
        self.data = data
        self.question = question
        matches = data.contexts.matches(question.filter)
        active = Array(repeating: [], count: starts.count)
        new = Array(repeating: 0, count: starts.count)
        sums = Array(repeating: SessionSums(), count: starts.count)
    }

    mutating func run(needsPeople: Bool) {
        let block = day.block
        for group in block.groups where matches[data.contexts.position(of: group.context)] {
            for row in group.rows {
                let (install, user) = (block.install[row], block.user[row])
                // As in whole days, rows of somebody who is being erased count for nothing.
                let person = data.people.subject(install: install, user: user, unit: .persons)
                guard person > 0 else { continue }
                if needsPeople { addActive(question.unit == .persons ? person : install, row) }
                if block.isSession[row] { addSession(row) }
            }
        }
        if needsPeople { countNew() }
    }

    private mutating func addActive(_ subject: Int32, _ row: Int) {
        let fromMs = day.bounds.lowerBound + Int64(day.block.fromMs[row])
        let untilMs = fromMs + Int64(day.block.spanMs[row])
        for hour in hour(of: fromMs)...max(hour(of: fromMs), hour(of: untilMs)) {
            active[hour].insert(subject)
        }
    }

    private mutating func addSession(_ row: Int) {
        let hour = hour(of: day.bounds.lowerBound + Int64(day.block.fromMs[row]))
        sums[hour].sessions += 1
        guard day.block.durationMs[row] >= 0 else { return }
        sums[hour].ended += 1
        sums[hour].durationMs += Int64(day.block.durationMs[row])
    }

    private mutating func countNew() {
        guard let day = data.days(from: day.day, through: day.day).first else { return }
        for newcomer in day.newcomers(question.unit)
        where question.filter.isEmpty || matches[Int(newcomer.context)] {
            new[hour(of: data.people.first(of: Int(newcomer.subject), unit: question.unit).ms)] += 1
        }
    }

    /// The last hour that begins at or before an instant of the day.
    private func hour(of ms: Int64) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= ms { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
