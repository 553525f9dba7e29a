import Contracts

/// First events by number, column by column.
struct FirstColumn: Sendable, Equatable {
    private var moments = MomentColumn()
    private var insertID: [UUID128] = []

    var count: Int { insertID.count }

    mutating func grow(to count: Int) {
        moments.grow(to: count)
        insertID.append(contentsOf: repeatElement(.zero, count: max(0, count - insertID.count)))
    }

    subscript(index: Int) -> PeopleMap.FirstEvent? {
        get {
            guard index < count, moments[index] != .never else { return nil }
            let moment = moments[index]
            return PeopleMap.FirstEvent(ms: moment.ms, insertID: insertID[index], context: moment.context)
        }
        set {
            moments[index] = newValue.map { PeopleMap.First(ms: $0.ms, context: $0.context) } ?? .never
            insertID[index] = newValue?.insertID ?? .zero
        }
    }

    /// Keeps the smaller of what is there and another event, and says whether that is the other one.
    @discardableResult
    mutating func note(_ event: PeopleMap.FirstEvent, at index: Int) -> Bool {
        let first = moments[index]
        guard (event.ms, event.insertID) < (first.ms, insertID[index]) || first == .never else {
            return false
        }
        self[index] = event
        return true
    }

    @inline(__always)
    func first(_ index: Int) -> PeopleMap.First { moments.first(index) }

    var bytes: Int { moments.bytes + count * 16 }
}

/// Moments and contexts of first events by number; `First.never` where there is none.
struct MomentColumn: Sendable, Equatable {
    private var ms: [Int64] = []
    private var context: [Int32] = []

    mutating func grow(to count: Int) {
        let added = max(0, count - ms.count)
        ms.append(contentsOf: repeatElement(.max, count: added))
        context.append(contentsOf: repeatElement(0, count: added))
    }

    subscript(index: Int) -> PeopleMap.First {
        get { PeopleMap.First(ms: ms[index], context: context[index]) }
        set {
            ms[index] = newValue.ms
            context[index] = newValue.context
        }
    }

    /// Of numbers beyond the column too, which are nobody.
    @inline(__always)
    func first(_ index: Int) -> PeopleMap.First { index < ms.count ? self[index] : .never }

    var bytes: Int { ms.count * 12 }
}
