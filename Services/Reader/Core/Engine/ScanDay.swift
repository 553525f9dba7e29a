public import Calendar
import Wire

/// A closed day laid out for scanning: who was active, and what the sessions came to, by context.
///
/// Sessions of one install and user within a context need one entry, since they make one person active once; their numbers and durations
/// are kept as sums and as a sorted run, which is all that reports of whole days ask for.
public struct ScanDay: Sendable {
    public struct Group: Sendable {
        /// Position in the app's `ContextTable`; the number of the context until `place(in:)`.
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

    /// Leaves out rows that belong to nobody: a person who is being erased may have some left for a moment.
    ///
    /// - Parameter persons: what each entry's install and user come to, which is found on the way.
    init(_ source: ReportDay, people: PeopleMap, persons: inout [Int32]) {
        day = source.day
        bounds = source.bounds
        var rows = people.withPersons { RowSplit(source.block, $0) }
        rows.sortDurations()
        groups = rows.groups
        install = rows.install
        user = rows.user
        durationsMs = rows.durationsMs
        persons = rows.person
    }

    /// Gives groups the positions of their contexts; once.
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

/// Takes the rows of a block apart.
private struct RowSplit {
    private(set) var groups: [ScanDay.Group] = []
    private(set) var install: [Int32]
    private(set) var user: [Int32]
    private(set) var person: [Int32]
    private(set) var durationsMs: [Int32]

    init(_ block: DayBlock, _ lookup: PersonLookup) {
        var split = Split(block, lookup)
        groups.reserveCapacity(block.groups.count)
        install = [Int32](repeating: 0, count: block.count)
        (user, person, durationsMs) = (install, install, install)
        install.withUnsafeMutableBufferPointer { install in
            user.withUnsafeMutableBufferPointer { user in
                person.withUnsafeMutableBufferPointer { person in
                    durationsMs.withUnsafeMutableBufferPointer { durationsMs in
                        let columns = Columns(install, user, person, durationsMs)
                        for group in block.groups { groups.append(split.take(group, into: columns)) }
                    }
                }
            }
        }
        // Copies, since removing what is too much would keep its memory.
        install = Array(install.prefix(split.entries))
        user = Array(user.prefix(split.entries))
        person = Array(person.prefix(split.entries))
        durationsMs = Array(durationsMs.prefix(split.durations))
    }

    mutating func sortDurations() {
        var scratch: [Int32] = []
        for group in groups { RadixSort.sort(&durationsMs, group.durations, &scratch) }
    }

    /// Where the values go; lent by the initialiser.
    private struct Columns {
        let install: UnsafeMutableBufferPointer<Int32>
        let user: UnsafeMutableBufferPointer<Int32>
        let person: UnsafeMutableBufferPointer<Int32>
        let durationsMs: UnsafeMutableBufferPointer<Int32>

        init(
            _ install: UnsafeMutableBufferPointer<Int32>,
            _ user: UnsafeMutableBufferPointer<Int32>,
            _ person: UnsafeMutableBufferPointer<Int32>,
            _ durationsMs: UnsafeMutableBufferPointer<Int32>
        ) {
            (self.install, self.user, self.person, self.durationsMs) = (install, user, person, durationsMs)
        }
    }

    /// How far the columns are filled.
    private struct Split {
        private let block: DayBlock
        private let lookup: PersonLookup
        private(set) var entries = 0
        private(set) var durations = 0

        init(_ block: DayBlock, _ lookup: PersonLookup) {
            (self.block, self.lookup) = (block, lookup)
        }

        mutating func take(_ group: DayBlock.Group, into columns: Columns) -> ScanDay.Group {
            let first = (entry: entries, duration: durations)
            var (sessions, sum) = (0, Int64(0))
            // Rows of a block are ordered by install and user, so repeats follow each other.
            var last = (install: Int32(0), user: Int32(0), person: Int32(0))
            var (entries, durations) = (entries, durations)
            for row in group.rows {
                let (install, user) = (block.install[row], block.user[row])
                if install != last.install || user != last.user {
                    last = (install, user, lookup.person(install: install, user: user))
                    if last.person > 0 {
                        columns.install[entries] = install
                        columns.user[entries] = user
                        columns.person[entries] = last.person
                        entries += 1
                    }
                }
                guard last.person > 0, block.isSession[row] else { continue }
                sessions += 1
                let durationMs = block.durationMs[row]
                guard durationMs >= 0 else { continue }
                columns.durationsMs[durations] = durationMs
                durations += 1
                sum += Int64(durationMs)
            }
            (self.entries, self.durations) = (entries, durations)
            return ScanDay.Group(
                context: Int(group.context),
                entries: first.entry..<entries,
                durations: first.duration..<durations,
                sessions: sessions,
                durationMsSum: sum
            )
        }
    }
}
