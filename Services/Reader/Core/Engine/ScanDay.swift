public import Calendar
import Wire

/// A closed day laid out for scanning: who was active, and what the sessions came to, by context.
///
/// Sessions of one install and user within a context need one entry, since they make one person active once; their numbers and durations
/// are kept as sums and as a sorted run, which is all that reports of whole days ask for.
public struct ScanDay: Sendable {
    public struct Group: Sendable {
        /// Position in the app's `ContextTable`.
        var context: Int
        /// Entries of `install` and `user`.
        var entries: Range<Int>
        /// Values of `durationsMs`: sessions with an end, ascending.
        var durations: Range<Int>
        var sessions: Int
        var durationMsSum: Int64
    }

    public let day: LocalDay
    /// First instant and first instant after it, in milliseconds.
    public let bounds: Range<Int64>
    let groups: [Group]
    let install: [Int32]
    let user: [Int32]
    let durationsMs: [Int32]

    /// Leaves out rows that belong to nobody: a person who is being erased may have some left for a moment.
    init(_ source: ReportDay, people: PeopleMap, contexts: ContextTable) {
        day = source.day
        bounds = source.bounds
        let block = source.block
        var groups: [Group] = []
        groups.reserveCapacity(block.groups.count)
        var install: [Int32] = []
        var user: [Int32] = []
        var durations: [Int32] = []
        install.reserveCapacity(block.count)
        user.reserveCapacity(block.count)
        durations.reserveCapacity(block.count)
        for group in block.groups {
            let (firstEntry, firstDuration) = (install.count, durations.count)
            var sessions = 0
            var sum: Int64 = 0
            for row in group.rows {
                let isSomebody =
                    people.subject(install: block.install[row], user: block.user[row], unit: .persons) > 0
                guard isSomebody else { continue }
                // Rows of a block are ordered by install and user, so repeats follow each other.
                if install.count == firstEntry || install[install.count - 1] != block.install[row]
                    || user[user.count - 1] != block.user[row]
                {
                    install.append(block.install[row])
                    user.append(block.user[row])
                }
                guard block.isSession[row] else { continue }
                sessions += 1
                guard block.durationMs[row] >= 0 else { continue }
                durations.append(block.durationMs[row])
                sum += Int64(block.durationMs[row])
            }
            durations[firstDuration...].sort()
            groups.append(
                Group(
                    context: contexts.position(of: group.context),
                    entries: firstEntry..<install.count,
                    durations: firstDuration..<durations.count,
                    sessions: sessions,
                    durationMsSum: sum
                )
            )
        }
        self.groups = groups
        self.install = install
        self.user = user
        durationsMs = durations
    }

    /// Bytes of memory, about.
    var bytes: Int {
        install.count * 8 + durationsMs.count * 4 + groups.count * MemoryLayout<Group>.stride
    }
}

/// A day with the subjects its entries belong to.
public struct ResolvedDay: Sendable {
    let scan: ScanDay
    let person: [Int32]
    /// Distinct over the whole day.
    let personCount: Int
    let installCount: Int

    init(_ scan: ScanDay, people: PeopleMap) {
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
        var set = NumberSet(limit: people.subjectLimit(.persons))
        set.insert(person, 0..<count)
        personCount = set.count
        set = NumberSet(limit: people.subjectLimit(.installs))
        set.insert(scan.install, 0..<count)
        installCount = set.count
    }

    public var day: LocalDay { scan.day }
    public var bounds: Range<Int64> { scan.bounds }

    @inline(__always)
    func subjects(_ unit: ReportUnit) -> [Int32] {
        switch unit {
        case .persons: person
        case .installs: scan.install
        }
    }

    func subjectCount(_ unit: ReportUnit) -> Int {
        switch unit {
        case .persons: personCount
        case .installs: installCount
        }
    }

    /// Bytes of memory on top of the scan's, about.
    var bytes: Int { person.count * 4 }
}
