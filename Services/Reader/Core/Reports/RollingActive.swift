import Calendar

/// Daily, weekly and monthly active: distinct over 1, 7 and 30 days that end with the day.
enum RollingActive {
    static let monthDays = 30
    static let weekDays = 7

    /// Figures are nil where totals of frozen days cannot tell them.
    struct Point: Sendable, Equatable {
        var day: LocalDay
        var dau: Int?
        var wau: Int?
        var mau: Int?
    }

    /// - Parameter data: must hold the 29 days before `first` as well.
    static func points(
        _ data: ReportData,
        _ question: ReportQuestion,
        from first: LocalDay,
        through last: LocalDay
    ) -> [Point] {
        let matches = data.contexts.matches(question.filter)
        let start = first.advanced(by: 1 - monthDays)
        let days = data.days(from: start, through: last)
        let length = start.distance(to: last) + 1
        let frozen = FrozenActivity(data, question, DaySpan(first: start, last: last))
        var window = ActivityWindow(
            subjects: data.people.subjectLimit(question.unit),
            days: max(0, length)
        )
        var points: [Point] = []
        var next = days.startIndex
        for offset in 0..<max(0, length) {
            let date = start.advanced(by: offset)
            if next < days.endIndex, days[next].day == date {
                let subjects = days[next].subjects(question.unit)
                for group in days[next].scan.groups where matches[group.context] {
                    window.add(subjects, group.entries, day: offset)
                }
                next += 1
            }
            guard date >= first else { continue }
            func active(_ days: Int) -> Int? {
                frozen.joined(to: window.count(last: days, through: offset), last: days, through: date)
            }
            points.append(Point(day: date, dau: active(1), wau: active(weekDays), mau: active(monthDays)))
        }
        return points
    }
}

/// Who was active on the frozen days around a range.
private struct FrozenActivity {
    private let days: [(day: LocalDay, counts: AudienceCounts)]

    init(_ data: ReportData, _ question: ReportQuestion, _ span: DaySpan) {
        days = data.frozen.days(span).map { ($0.day, $0.counts(question)) }
    }

    /// Distinct over the days that end with one; nil where that cannot be told.
    func joined(to active: Int, last count: Int, through day: LocalDay) -> Int? {
        guard let last = days.last?.day, day.advanced(by: 1 - count) <= last else { return active }
        let span = day.advanced(by: 1 - count)...day
        var counts = AudienceCounts(active: active)
        counts.add(frozen: days.filter { span.contains($0.day) }.map(\.counts))
        return counts.active
    }
}

/// How many subjects were last active on each day so far: whoever comes again moves to the new day.
private struct ActivityWindow {
    private var lastDay: [Int16]
    private var counts: [Int]

    init(subjects: Int, days: Int) {
        lastDay = [Int16](repeating: -1, count: subjects)
        counts = [Int](repeating: 0, count: days)
    }

    mutating func add(_ subjects: [Int32], _ range: Range<Int>, day: Int) {
        let today = Int16(truncatingIfNeeded: day)
        var added = 0
        lastDay.withUnsafeMutableBufferPointer { lastDay in
            counts.withUnsafeMutableBufferPointer { counts in
                subjects.withUnsafeBufferPointer { subjects in
                    for index in range {
                        let subject = Int(subjects[index])
                        guard subject > 0, subject < lastDay.count, lastDay[subject] != today else {
                            continue
                        }
                        let last = lastDay[subject]
                        if last >= 0 { counts[Int(last)] -= 1 }
                        lastDay[subject] = today
                        added += 1
                    }
                }
            }
        }
        counts[day] += added
    }

    func count(last days: Int, through day: Int) -> Int {
        counts[max(0, day - days + 1)...day].reduce(0, +)
    }
}
