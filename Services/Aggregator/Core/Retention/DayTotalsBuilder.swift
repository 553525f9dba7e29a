import Wire

/// Counts a day's block the way reports do, without any input or output.
struct DayTotalsBuilder {
    /// The values of one context in the order of `TotalsDimension`, without the total.
    typealias ContextValues = [String?]

    private struct Key: Hashable {
        let dimension: Int
        let value: String?
    }

    private struct Counts {
        var persons: Set<FrozenPeople.Person> = []
        var installs: Set<Int32> = []
        var newPersons = 0
        var newInstalls = 0
        var sessions = 0
        var sessionsEnded = 0
        var durationMsSum: Int64 = 0
    }

    private let block: DayBlock
    private let bounds: Range<Int64>
    private let people: FrozenPeople
    private let contexts: [Int32: ContextValues]
    private var counts: [Key: Counts] = [Key(dimension: 0, value: nil): Counts()]

    /// The whole day first, then each dimension's values in the order of their bytes, an absent one first.
    static func totals(
        of block: DayBlock,
        bounds: Range<Int64>,
        people: FrozenPeople,
        contexts: [Int32: ContextValues]
    ) -> [DayTotals] {
        var builder = DayTotalsBuilder(block: block, bounds: bounds, people: people, contexts: contexts)
        for group in block.groups { builder.add(group) }
        builder.addNew()
        return builder.rows
    }

    private init(
        block: DayBlock,
        bounds: Range<Int64>,
        people: FrozenPeople,
        contexts: [Int32: ContextValues]
    ) {
        self.block = block
        self.bounds = bounds
        self.people = people
        self.contexts = contexts
    }

    private mutating func add(_ group: DayBlock.Group) {
        for key in keys(of: group.context) {
            var own = counts[key] ?? Counts()
            counts[key] = nil
            for row in group.rows {
                let install = block.install[row]
                guard let person = people.person(install: install, user: block.user[row]) else { continue }
                own.persons.insert(person)
                own.installs.insert(install)
                guard block.isSession[row] else { continue }
                own.sessions += 1
                guard block.durationMs[row] >= 0 else { continue }
                own.sessionsEnded += 1
                own.durationMsSum += Int64(block.durationMs[row])
            }
            counts[key] = own
        }
    }

    /// New is whose first event lies in the day; it counts for the values of that first event, whatever the day's other rows say.
    private mutating func addNew() {
        let all = counts[Key(dimension: 0, value: nil)] ?? Counts()
        for person in all.persons {
            guard let first = people.first(of: person), bounds.contains(first.ms) else { continue }
            for key in keys(of: first.context) { counts[key, default: Counts()].newPersons += 1 }
        }
        for install in all.installs {
            guard let first = people.installs[install]?.first, bounds.contains(first.ms) else { continue }
            for key in keys(of: first.context) { counts[key, default: Counts()].newInstalls += 1 }
        }
    }

    private func keys(of context: Int32) -> [Key] {
        let values = contexts[context] ?? []
        return [Key(dimension: 0, value: nil)]
            + values.enumerated().map { Key(dimension: $0.offset + 1, value: $0.element) }
    }

    private var rows: [DayTotals] {
        let dimensions = TotalsDimension.allCases
        return
            counts
            .sorted { ($0.key.dimension, $0.key.value ?? "") < ($1.key.dimension, $1.key.value ?? "") }
            .map { key, counts in
                var row = DayTotals(dimension: dimensions[key.dimension], value: key.value)
                row.activePersons = counts.persons.count
                row.activeInstalls = counts.installs.count
                row.newPersons = counts.newPersons
                row.newInstalls = counts.newInstalls
                row.sessions = counts.sessions
                row.sessionsEnded = counts.sessionsEnded
                row.durationMsSum = counts.durationMsSum
                return row
            }
            // Rows of people who are gone leave values behind that nobody has.
            .filter { $0.dimension == .total || $0.activePersons + $0.newPersons + $0.newInstalls > 0 }
    }
}
