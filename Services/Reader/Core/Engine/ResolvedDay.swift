public import Calendar

/// A day with the subjects its entries belong to, and who of them was new on it.
public struct ResolvedDay: Sendable {
    /// Somebody whose first event lies in the day and who was active on it.
    struct Newcomer: Sendable, Equatable {
        var subject: Int32
        /// Position of the first event's context; its number until the day is placed.
        var context: Int32
    }

    private(set) var scan: ScanDay
    private let person: [Int32]
    private var persons: DaySubjects
    private var installs: DaySubjects

    /// Lays a day out; call `place(in:)` once its contexts are known.
    init(_ source: ReportDay, people: PeopleMap) {
        var person: [Int32] = []
        scan = ScanDay(source, people: people, persons: &person)
        self.person = person
        persons = DaySubjects(person, .persons, scan.bounds, people)
        installs = DaySubjects(scan.install, .installs, scan.bounds, people)
    }

    /// The same day when its people may be others.
    init(_ day: ResolvedDay, people: PeopleMap, contexts: ContextTable) {
        scan = day.scan
        let (install, user) = (scan.install, scan.user)
        person = people.withPersons { lookup in
            [Int32](unsafeUninitializedCapacity: install.count) { buffer, initialized in
                for index in install.indices {
                    let person = lookup.person(install: install[index], user: user[index])
                    buffer.initializeElement(at: index, to: person)
                }
                initialized = install.count
            }
        }
        persons = DaySubjects(person, .persons, scan.bounds, people)
        installs = DaySubjects(install, .installs, scan.bounds, people)
        persons.place(in: contexts)
        installs.place(in: contexts)
    }

    /// Gives everything that has a context the context's position; once.
    mutating func place(in contexts: ContextTable) {
        scan.place(in: contexts)
        persons.place(in: contexts)
        installs.place(in: contexts)
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
    private(set) var newcomers: [ResolvedDay.Newcomer]

    init(
        _ subjects: [Int32],
        _ unit: ReportUnit,
        _ bounds: Range<Int64>,
        _ people: PeopleMap
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
                    context: first.context
                )
            )
        }
        self.count = count
        self.newcomers = newcomers
    }

    mutating func place(in contexts: ContextTable) {
        for index in newcomers.indices {
            let position = contexts.position(of: newcomers[index].context)
            newcomers[index].context = Int32(truncatingIfNeeded: position)
        }
    }
}
