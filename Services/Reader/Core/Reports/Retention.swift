import Calendar

/// Who came back: cohorts of people by the day or week they were new in, and the share active so many days or weeks later.
enum Retention {
    enum CohortLength: String, Sendable, CaseIterable {
        case day, week
    }

    struct Cohort: Sendable, Equatable {
        var first: LocalDay
        var last: LocalDay
        var size: Int
        /// How many of the cohort were active n periods later, from 0 on; nil where that period has not ended yet.
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
        var cohortOf = assign(cohorts, data, question)
        let sizes = cohorts.indices.map { index in cohortOf.sizes[index] }
        var hits = [[Int]](repeating: [Int](repeating: 0, count: periods + 1), count: cohorts.count)
        let step = length == .day ? 1 : 7
        let count = cohorts.count + periods
        var seen = NumberSet(limit: data.people.subjectLimit(question.unit))
        let matches = data.contexts.matches(question.filter)
        let origin = length == .day ? first : first.mondayOfWeek
        for period in 0..<count {
            let start = origin.advanced(by: period * step)
            seen.removeAll()
            for day in data.days(from: start, through: start.advanced(by: step - 1)) {
                let subjects = day.subjects(question.unit)
                for group in day.scan.groups where matches[group.context] {
                    seen.insert(subjects, group.entries)
                }
            }
            seen.forEach { subject in
                let cohort = Int(cohortOf.cohort[subject])
                guard cohort >= 0, (0...periods).contains(period - cohort) else { return }
                hits[cohort][period - cohort] += 1
            }
        }
        cohortOf.cohort = []
        return cohorts.indices.map { index in
            let returned = (0...periods).map { offset -> Int? in
                let last = origin.advanced(by: (index + offset + 1) * step - 1)
                return isOver(last) ? hits[index][offset] : nil
            }
            return Cohort(
                first: cohorts[index].first,
                last: cohorts[index].last,
                size: sizes[index],
                returned: returned
            )
        }
    }

    private struct Assignment {
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
        let buckets = cohorts.map { data.days(from: $0.first, through: $0.last) }
        var assignment = Assignment(
            cohort: [Int16](repeating: -1, count: data.people.subjectLimit(question.unit)),
            sizes: [Int](repeating: 0, count: cohorts.count)
        )
        var newcomers = Newcomers(data, question.unit, buckets: buckets)
        for index in buckets.indices {
            newcomers.takeSubjects(index, of: buckets[index]) { subject in
                let first = data.people.first(of: subject, unit: question.unit)
                guard question.filter.isEmpty || matches[data.contexts.position(of: first.context)] else {
                    return
                }
                assignment.cohort[subject] = Int16(truncatingIfNeeded: index)
                assignment.sizes[index] += 1
            }
        }
        return assignment
    }
}
