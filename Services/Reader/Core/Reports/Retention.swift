import Calendar

/// Who came back: cohorts of people by the day or week they were new in, and the share active so many days or weeks later.
enum Retention {
    enum CohortLength: String, Sendable, CaseIterable {
        case day, week
    }

    struct Cohort: Sendable, Equatable {
        var first: LocalDay
        var last: LocalDay
        /// Nil where totals of frozen days cannot tell it.
        var size: Int?
        /// How many of the cohort were active n periods later, from 0 on; nil where that period has not ended yet, and always for people who
        /// were new on a frozen day: who they were is not known any more.
        var returned: [Int?]
    }

    /// - Parameters:
    ///   - cohorts: spans of days in order, without gaps.
    ///   - data: must hold the days of the cohorts and those they may come back on.
    ///   - periods: how many periods after its own a cohort is followed.
    ///   - isOver: whether a day has ended.
    static func cohorts(
        _ length: CohortLength,
        _ cohorts: [DaySpan],
        _ data: ReportData,
        _ question: ReportQuestion,
        periods: Int,
        isOver: (LocalDay) -> Bool
    ) -> [Cohort] {
        guard let first = cohorts.first?.first else { return [] }
        let assignment = assign(cohorts, data, question)
        let step = length == .day ? 1 : 7
        let origin = length == .day ? first : first.mondayOfWeek
        let hits = returns(assignment, data, question, origin, step: step, periods: periods)
        return cohorts.indices.map { index in
            var counts = AudienceCounts(new: 0)
            counts.add(frozen: data.frozen.counts(question, cohorts[index]))
            let returned = (0...periods).map { offset -> Int? in
                let last = origin.advanced(by: (index + offset + 1) * step - 1)
                return counts.new == 0 && isOver(last) ? hits[index + offset][offset] : nil
            }
            return Cohort(
                first: cohorts[index].first,
                last: cohorts[index].last,
                size: AudienceCounts.sum(counts.new, assignment.sizes[index]),
                returned: returned
            )
        }
    }

    /// For each day or week from the first on, how many of the cohorts so many before it were active.
    private static func returns(
        _ assignment: Assignment,
        _ data: ReportData,
        _ question: ReportQuestion,
        _ origin: LocalDay,
        step: Int,
        periods: Int
    ) -> [[Int]] {
        let matches = data.contexts.matches(question.filter)
        let all = Array(0..<(assignment.sizes.count + periods))
        return Parallel.map(Parallel.pieces(all[...])) { piece in
            var seen = NumberSet(limit: data.people.subjectLimit(question.unit))
            return piece.map { period in
                var hits = [Int](repeating: 0, count: periods + 1)
                let start = origin.advanced(by: period * step)
                seen.removeAll()
                for day in data.days(from: start, through: start.advanced(by: step - 1)) {
                    let subjects = day.subjects(question.unit)
                    for group in day.scan.groups where matches[group.context] {
                        seen.insert(subjects, group.entries)
                    }
                }
                seen.forEach { subject in
                    let cohort = Int(assignment.cohort[subject])
                    guard cohort >= 0, (0...periods).contains(period - cohort) else { return }
                    hits[period - cohort] += 1
                }
                return hits
            }
        }.flatMap(\.self)
    }

    private struct Assignment: Sendable {
        /// By subject; -1 for those who are in none.
        var cohort: [Int16]
        var sizes: [Int]
    }

    private static func assign(
        _ cohorts: [DaySpan],
        _ data: ReportData,
        _ question: ReportQuestion
    ) -> Assignment {
        let matches = data.contexts.matches(question.filter)
        var assignment = Assignment(
            cohort: [Int16](repeating: -1, count: data.people.subjectLimit(question.unit)),
            sizes: [Int](repeating: 0, count: cohorts.count)
        )
        for (index, span) in cohorts.enumerated() {
            for day in data.days(from: span.first, through: span.last) {
                for newcomer in day.newcomers(question.unit)
                where question.filter.isEmpty || matches[Int(newcomer.context)] {
                    assignment.cohort[Int(newcomer.subject)] = Int16(truncatingIfNeeded: index)
                    assignment.sizes[index] += 1
                }
            }
        }
        return assignment
    }
}
