public import Calendar

/// A day with the subjects its entries belong to, and who of them was new on it.
public struct ResolvedDay: Sendable {
    /// Somebody whose first event lies in the day and who was active on it.
    struct Newcomer: Sendable, Equatable {
        var subject: Int32
        /// Position of the first event's context.
        var context: Int32
    }

    let scan: ScanDay
    private let person: [Int32]
    private let persons: DaySubjects
    private let installs: DaySubjects

    init(_ scan: ScanDay, people: PeopleMap, contexts: ContextTable) {
        self.scan = scan
        let count = scan.install.count
        person = [Int32](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                let subject = people.subject(
                    install: scan.install[index],
                    user: scan.user[index],
                    unit: .persons
                )
                buffer.initializeElement(at: index, to: subject)
            }
            initialized = count
        }
        persons = DaySubjects(person, .persons, scan.bounds, people, contexts)
        installs = DaySubjects(scan.install, .installs, scan.bounds, people, contexts)
    }

    public var day: LocalDay { scan.day }
    public var bounds: Range<Int64> { scan.bounds }

    /// Whose each entry is.
    @inline(__always)
    func subjects(_ unit: ReportUnit) -> [Int32] {
        switch unit {
        case .persons: person
        case .installs: scan.install
        }
    }

    /// Distinct over the whole day.
    func subjectCount(_ unit: ReportUnit) -> Int { whole(unit).count }

    /// In the order of their numbers.
    func newcomers(_ unit: ReportUnit) -> [Newcomer] { whole(unit).newcomers }

    private func whole(_ unit: ReportUnit) -> DaySubjects {
        switch unit {
        case .persons: persons
        case .installs: installs
        }
    }

    /// Bytes of memory on top of the scan's, about.
    var bytes: Int {
        person.count * 4 + (persons.newcomers.count + installs.newcomers.count) * 8
    }
}

/// What a day comes to in one unit without a filter.
private struct DaySubjects: Sendable {
    let count: Int
    let newcomers: [ResolvedDay.Newcomer]

    init(
        _ subjects: [Int32],
        _ unit: ReportUnit,
        _ bounds: Range<Int64>,
        _ people: PeopleMap,
        _ contexts: ContextTable
    ) {
        var set = NumberSet(limit: people.subjectLimit(unit))
        set.insert(subjects, subjects.indices)
        var count = 0
        var newcomers: [ResolvedDay.Newcomer] = []
        set.forEach { subject in
            count += 1
            let first = people.first(of: subject, unit: unit)
            guard bounds.contains(first.ms) else { return }
            newcomers.append(
                ResolvedDay.Newcomer(
                    subject: Int32(truncatingIfNeeded: subject),
                    context: Int32(truncatingIfNeeded: contexts.position(of: first.context))
                )
            )
        }
        self.count = count
        self.newcomers = newcomers
    }
}
