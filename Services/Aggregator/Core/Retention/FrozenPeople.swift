import Contracts

/// Who the numbers of one block are, by the rules of reports: anonymous rows belong to the install's first owner.
struct FrozenPeople: Sendable {
    /// Somebody's first event; of two at one moment the smaller insert id is the first.
    struct First: Sendable, Comparable {
        var ms: Int64
        var insertID: UUID128
        var context: Int32

        static func < (left: First, right: First) -> Bool {
            (left.ms, left.insertID) < (right.ms, right.insertID)
        }
    }

    struct Install: Sendable {
        /// 0 where nobody signed in.
        var owner: Int32
        var first: First?
        var anonymousFirst: First?
    }

    /// A user, or an install nobody ever signed in on.
    enum Person: Hashable, Sendable {
        case user(Int32)
        case install(Int32)
    }

    var installs: [Int32: Install] = [:]
    /// By user number; a user without a row is nobody.
    var userFirsts: [Int32: First?] = [:]
    /// The earliest anonymous event on any install of an owner.
    var ownedAnonymousFirsts: [Int32: First] = [:]

    /// Nil for a row that refers to nobody known.
    func person(install: Int32, user: Int32) -> Person? {
        guard let known = installs[install] else { return nil }
        let number = user > 0 ? user : known.owner
        guard number > 0 else { return .install(install) }
        return userFirsts[number] == nil ? nil : .user(number)
    }

    func first(of person: Person) -> First? {
        switch person {
        case .install(let number): installs[number]?.anonymousFirst
        case .user(let number):
            [userFirsts[number] ?? nil, ownedAnonymousFirsts[number]].compactMap { $0 }.min()
        }
    }
}
