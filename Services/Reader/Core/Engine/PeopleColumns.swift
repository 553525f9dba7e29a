import Contracts

/// What putting a row into its columns came to.
enum PutOutcome {
    case new, unchanged
    /// An install that belonged to nobody has its owner now.
    case claimed
    /// A fact became another one than a smaller minimum can explain: what was derived from it is void.
    case moved
}

/// The moments of first events that came or went: who was new around them may have changed.
struct TouchedMoments {
    private(set) var all: [Int64] = []

    mutating func add(_ before: PeopleMap.First, _ now: PeopleMap.First) {
        guard before != now else { return }
        if before.ms != .max { all.append(before.ms) }
        if now.ms != .max { all.append(now.ms) }
    }
}

/// The rows of `installs`, by install number.
struct InstallColumns: Sendable, Equatable {
    private(set) var isThere: [Bool] = []
    /// 0 where nobody signed in.
    private(set) var owner: [Int32] = []
    private var firsts = MomentColumn()
    private var anonymousFirsts = FirstColumn()

    @inline(__always)
    func first(of number: Int) -> PeopleMap.First { firsts.first(number) }
    @inline(__always)
    func anonymous(of number: Int) -> PeopleMap.First { anonymousFirsts.first(number) }
    func anonymousFirst(of number: Int) -> PeopleMap.FirstEvent? { anonymousFirsts[number] }

    /// Numbers that are not above 0 are no rows.
    mutating func put(_ install: PeopleMap.Install, _ touched: inout TouchedMoments) -> PutOutcome {
        let index = Int(install.number)
        guard index > 0 else { return .unchanged }
        grow(to: index + 1)
        var outcome = PutOutcome.new
        if isThere[index] {
            outcome = change(at: index, to: install)
            touched.add(firsts[index], PeopleMap.First(install.first))
            touched.add(anonymousFirsts.first(index), PeopleMap.First(install.anonymousFirst))
        }
        isThere[index] = true
        owner[index] = install.owner
        firsts[index] = PeopleMap.First(install.first)
        anonymousFirsts[index] = install.anonymousFirst
        return outcome
    }

    private func change(at index: Int, to install: PeopleMap.Install) -> PutOutcome {
        if let before = anonymousFirsts[index], before.isReplaced(by: install.anonymousFirst) {
            return .moved
        }
        guard owner[index] != install.owner else { return .unchanged }
        return owner[index] == 0 ? .claimed : .moved
    }

    mutating func remove(_ number: Int32) {
        let index = Int(number)
        guard index > 0, index < isThere.count else { return }
        isThere[index] = false
        owner[index] = 0
        firsts[index] = .never
        anonymousFirsts[index] = nil
    }

    mutating func grow(to count: Int) {
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
    private(set) var there: [Bool] = []
    private var own = FirstColumn()
    private var derived = FirstColumn()

    var count: Int { there.count }

    @inline(__always)
    func isThere(_ number: Int32) -> Bool {
        let index = Int(number)
        return index > 0 && index < there.count && there[index]
    }

    @inline(__always)
    func first(of number: Int) -> PeopleMap.First { derived.first(number) }

    mutating func put(_ user: PeopleMap.User) -> PutOutcome {
        let index = Int(user.number)
        guard index > 0 else { return .unchanged }
        grow(to: index + 1)
        var outcome = there[index] ? PutOutcome.unchanged : .new
        if there[index], let before = own[index], before.isReplaced(by: user.first) { outcome = .moved }
        there[index] = true
        own[index] = user.first
        return outcome
    }

    mutating func grow(to count: Int) {
        guard count > there.count else { return }
        there.append(contentsOf: repeatElement(false, count: count - there.count))
        own.grow(to: count)
        derived.grow(to: count)
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
    mutating func note(
        _ event: PeopleMap.FirstEvent?,
        of number: Int32,
        _ touched: inout TouchedMoments
    ) {
        guard let event, isThere(number) else { return }
        let before = first(of: Int(number))
        if derived.note(event, at: Int(number)) { touched.add(before, first(of: Int(number))) }
    }

    var bytes: Int { there.count + own.bytes + derived.bytes }
}

extension PeopleMap.FirstEvent {
    /// Whether another event in its place is one that a smaller minimum does not explain.
    fileprivate func isReplaced(by other: PeopleMap.FirstEvent?) -> Bool {
        guard let other else { return true }
        return (other.ms, other.insertID) > (ms, insertID)
            || other.insertID == insertID && other.context != context
    }
}
