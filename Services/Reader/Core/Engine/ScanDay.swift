public import Calendar
import Wire

/// A closed day laid out for scanning: who was active, and what the sessions came to, by context.
///
/// Sessions of one install and user within a context need one entry, since they make one person active once; their numbers and durations
/// are kept as sums and as a sorted run, which is all that reports of whole days ask for.
public struct ScanDay: Sendable {
    public struct Group: Sendable {
        /// Position in the app's `ContextTable`.
        fileprivate(set) var context: Int
        /// Entries of `install` and `user`.
        let entries: Range<Int>
        /// Values of `durationsMs`: sessions with an end, ascending.
        let durations: Range<Int>
        let sessions: Int
        let durationMsSum: Int64
    }

    public let day: LocalDay
    /// First instant and first instant after it, in milliseconds.
    public let bounds: Range<Int64>
    private(set) var groups: [Group]
    let install: [Int32]
    let user: [Int32]
    let durationsMs: [Int32]

    init(_ source: ReportDay, people: PeopleMap, contexts: ContextTable) {
        self.init(numbered: source, people: people)
        place(in: contexts)
    }

    /// The same with the numbers of contexts instead of their positions, until `place(in:)` is called.
    ///
    /// Leaves out rows that belong to nobody: a person who is being erased may have some left for a moment.
    init(numbered source: ReportDay, people: PeopleMap) {
        day = source.day
        bounds = source.bounds
        var rows = RowSplit(source.block, people)
        groups = source.block.groups.map { rows.split($0) }
        install = rows.install
        user = rows.user
        durationsMs = rows.durationsMs
    }

    mutating func place(in contexts: ContextTable) {
        for index in groups.indices {
            groups[index].context = contexts.position(of: Int32(truncatingIfNeeded: groups[index].context))
        }
    }

    /// The numbers of its contexts, before `place(in:)`.
    var contextNumbers: [Int32] { groups.map { Int32(truncatingIfNeeded: $0.context) } }

    /// Bytes of memory, about.
    var bytes: Int {
        install.count * 8 + durationsMs.count * 4 + groups.count * MemoryLayout<Group>.stride
    }
}

/// Takes the rows of a block apart, group by group.
private struct RowSplit {
    private let block: DayBlock
    private let people: PeopleMap
    private(set) var install: [Int32] = []
    private(set) var user: [Int32] = []
    private(set) var durationsMs: [Int32] = []
    private var scratch: [Int32] = []

    init(_ block: DayBlock, _ people: PeopleMap) {
        self.block = block
        self.people = people
        install.reserveCapacity(block.count)
        user.reserveCapacity(block.count)
        durationsMs.reserveCapacity(block.count)
    }

    mutating func split(_ group: DayBlock.Group) -> ScanDay.Group {
        let (firstEntry, firstDuration) = (install.count, durationsMs.count)
        var sessions = 0
        var sum: Int64 = 0
        // Rows of a block are ordered by install and user, so repeats follow each other.
        var last = (install: Int32(0), user: Int32(0), isSomebody: false)
        for row in group.rows {
            let (install, user) = (block.install[row], block.user[row])
            if install != last.install || user != last.user {
                let isSomebody = people.subject(install: install, user: user, unit: .persons) > 0
                last = (install, user, isSomebody)
                if isSomebody {
                    self.install.append(install)
                    self.user.append(user)
                }
            }
            guard last.isSomebody, block.isSession[row] else { continue }
            sessions += 1
            let durationMs = block.durationMs[row]
            guard durationMs >= 0 else { continue }
            durationsMs.append(durationMs)
            sum += Int64(durationMs)
        }
        RadixSort.sort(&durationsMs, from: firstDuration, &scratch)
        return ScanDay.Group(
            context: Int(group.context),
            entries: firstEntry..<install.count,
            durations: firstDuration..<durationsMs.count,
            sessions: sessions,
            durationMsSum: sum
        )
    }
}
