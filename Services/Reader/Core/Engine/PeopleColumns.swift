import Contracts

/// What putting a row into its columns came to.
enum PutOutcome {
    case new, unchanged
    /// An install that belonged to nobody has its owner now.
    case claimed
    /// A fact became another one than a smaller minimum can explain: what was derived from it is void.
    case moved
}

/// First events by number, column by column.
struct FirstColumn: Sendable, Equatable {
    private(set) var ms: [Int64] = []
    private(set) var context: [Int32] = []
    private(set) var insertID: [UUID128] = []

    var count: Int { ms.count }

    mutating func grow(to count: Int) {
        guard count > ms.count else { return }
        let added = count - ms.count
        ms.append(contentsOf: repeatElement(.max, count: added))
        context.append(contentsOf: repeatElement(0, count: added))
        insertID.append(contentsOf: repeatElement(.zero, count: added))
    }

    subscript(index: Int) -> PeopleMap.FirstEvent? {
        get {
            guard index < ms.count, ms[index] != .max else { return nil }
            return PeopleMap.FirstEvent(ms: ms[index], insertID: insertID[index], context: context[index])
        }
        set {
            ms[index] = newValue?.ms ?? .max
            context[index] = newValue?.context ?? 0
            insertID[index] = newValue?.insertID ?? .zero
        }
    }

    /// Keeps the smaller of what is there and another event.
    mutating func note(_ event: PeopleMap.FirstEvent, at index: Int) {
        guard (event.ms, event.insertID) < (ms[index], insertID[index]) || ms[index] == .max else { return }
        self[index] = event
    }

    @inline(__always)
    func first(_ index: Int) -> PeopleMap.First {
        index < ms.count ? PeopleMap.First(ms: ms[index], context: context[index]) : .never
    }

    var bytes: Int { ms.count * 28 }
}

/// The rows of `installs`, by install number.
struct InstallColumns: Sendable, Equatable {
    private(set) var isThere: [Bool] = []
    /// 0 where nobody signed in.
    private(set) var owner: [Int32] = []
    private var firsts = FirstColumn()
    private var anonymousFirsts = FirstColumn()

    func first(of number: Int) -> PeopleMap.First { firsts.first(number) }
    func anonymous(of number: Int) -> PeopleMap.First { anonymousFirsts.first(number) }
    func anonymousFirst(of number: Int) -> PeopleMap.FirstEvent? { anonymousFirsts[number] }

    /// Numbers that are not above 0 are no rows.
    @discardableResult
    mutating func put(_ install: PeopleMap.Install) -> PutOutcome {
        let index = Int(install.number)
        guard index > 0 else { return .unchanged }
        grow(to: index + 1)
        var outcome = isThere[index] ? PutOutcome.unchanged : .new
        if isThere[index] {
            if owner[index] != install.owner { outcome = owner[index] == 0 ? .claimed : .moved }
            if let before = anonymousFirsts[index] {
                let now = install.anonymousFirst
                let isLater = now.map { ($0.ms, $0.insertID) > (before.ms, before.insertID) } ?? true
                if isLater || now?.context != before.context && now?.insertID == before.insertID {
                    outcome = .moved
                }
            }
        }
        isThere[index] = true
        owner[index] = install.owner
        firsts[index] = install.first
        anonymousFirsts[index] = install.anonymousFirst
        return outcome
    }

    mutating func remove(_ number: Int32) {
        let index = Int(number)
        guard index > 0, index < isThere.count else { return }
        isThere[index] = false
        owner[index] = 0
        firsts[index] = nil
        anonymousFirsts[index] = nil
    }

    private mutating func grow(to count: Int) {
        guard count > isThere.count else { return }
        isThere.append(contentsOf: repeatElement(false, count: count - isThere.count))
        owner.append(contentsOf: repeatElement(0, count: count - owner.count))
        firsts.grow(to: count)
        anonymousFirsts.grow(to: count)
    }

    var bytes: Int { isThere.count * 5 + firsts.bytes + anonymousFirsts.bytes }
}

/// The rows of `users`, by user number, and each user's first event with those of the installs they own.
struct UserColumns: Sendable, Equatable {
    private var there: [Bool] = []
    private var own = FirstColumn()
    private var derived = FirstColumn()

    var count: Int { there.count }

    @inline(__always)
    func isThere(_ number: Int32) -> Bool {
        let index = Int(number)
        return index > 0 && index < there.count && there[index]
    }

    func first(of number: Int) -> PeopleMap.First { derived.first(number) }

    @discardableResult
    mutating func put(_ user: PeopleMap.User) -> PutOutcome {
        let index = Int(user.number)
        guard index > 0 else { return .unchanged }
        if index >= there.count {
            there.append(contentsOf: repeatElement(false, count: index + 1 - there.count))
            own.grow(to: index + 1)
            derived.grow(to: index + 1)
        }
        var outcome = there[index] ? PutOutcome.unchanged : .new
        if there[index], let before = own[index] {
            let isLater = user.first.map { ($0.ms, $0.insertID) > (before.ms, before.insertID) } ?? true
            if isLater || user.first?.context != before.context && user.first?.insertID == before.insertID {
                outcome = .moved
            }
        }
        there[index] = true
        own[index] = user.first
        return outcome
    }

    mutating func remove(_ number: Int32) {
        let index = Int(number)
        guard index > 0, index < there.count else { return }
        there[index] = false
        own[index] = nil
        derived[index] = nil
    }

    mutating func deriveFromOwn() { derived = own }

    /// Takes an event into account that may be the user's first.
    mutating func note(_ event: PeopleMap.FirstEvent?, of number: Int32) {
        guard let event, isThere(number) else { return }
        derived.note(event, at: Int(number))
    }

    var bytes: Int { there.count + own.bytes + derived.bytes }
}
