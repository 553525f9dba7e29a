public import Contracts

/// Who the numbers in day blocks are: dense columns over the installs and users of one app's environment.
///
/// A person is a number as well: twice the user's number, or, where nobody ever signed in, twice the install's number and one. So a person
/// keeps their number however many others come, and 0 is nobody.
public struct PeopleMap: Sendable, Equatable {
    private(set) var installs = InstallColumns()
    private(set) var users = UserColumns()
    /// Moves when a row that is in a block already may belong to somebody else than before.
    private(set) var mapping = 0

    public init() {}

    public init(installs: [Install], users: [User]) {
        for user in users { self.users.put(user) }
        for install in installs { self.installs.put(install) }
        deriveAll()
    }

    /// Takes over what has changed; deleted numbers are nobody from then on.
    mutating func apply(_ changes: PeopleChanges) {
        var mustDerive = changes.hasDeletions
        for number in changes.deletedInstalls { installs.remove(number) }
        for number in changes.deletedUsers { users.remove(number) }
        for user in changes.users where users.put(user) == .moved { mustDerive = true }
        var owned: [Install] = []
        for install in changes.installs {
            switch installs.put(install) {
            case .new, .unchanged: break
            case .claimed: mapping += 1
            case .moved: mustDerive = true
            }
            if install.owner > 0 { owned.append(install) }
        }
        guard !mustDerive else {
            mapping += 1
            deriveAll()
            return
        }
        for user in changes.users { users.note(user.first, of: user.number) }
        for install in owned { users.note(install.anonymousFirst, of: install.owner) }
    }

    /// Days before a sign-in belong to the owner: the first anonymous event of an install may be its owner's first.
    private mutating func deriveAll() {
        users.deriveFromOwn()
        for number in 1..<max(1, installs.owner.count) where installs.isThere[number] {
            let owner = installs.owner[number]
            if owner > 0 { users.note(installs.anonymousFirst(of: number), of: owner) }
        }
    }

    /// The number of a row's person, or of its install; 0 for a row that refers to nobody known.
    @inline(__always)
    func subject(install: Int32, user: Int32, unit: ReportUnit) -> Int32 {
        let index = Int(install)
        guard index > 0, index < installs.isThere.count, installs.isThere[index] else { return 0 }
        switch unit {
        case .installs: return install
        case .persons:
            let person = user > 0 ? user : installs.owner[index]
            guard person > 0 else { return install << 1 | 1 }
            return users.isThere(person) ? person << 1 : 0
        }
    }

    /// One more than the greatest subject number.
    func subjectLimit(_ unit: ReportUnit) -> Int {
        switch unit {
        case .installs: max(1, installs.isThere.count)
        case .persons: 2 * max(1, installs.isThere.count, users.count)
        }
    }

    /// The first event of a subject; `First.never` for nobody.
    @inline(__always)
    func first(of subject: Int, unit: ReportUnit) -> First {
        switch unit {
        case .installs: installs.first(of: subject)
        case .persons:
            subject & 1 == 0 ? users.first(of: subject >> 1) : installs.anonymous(of: subject >> 1)
        }
    }

    /// Bytes of memory, about.
    var bytes: Int { installs.bytes + users.bytes }
}

extension PeopleMap {
    /// The moment and context of somebody's first event; nothing when `ms` is `Int64.max`.
    struct First: Sendable, Equatable {
        var ms: Int64
        var context: Int32

        static let never = First(ms: .max, context: 0)
    }

    /// A first event as the tables keep it: of two at the same moment, the smaller insert id is the first, as everywhere.
    public struct FirstEvent: Sendable, Equatable {
        public var ms: Int64
        public var insertID: UUID128
        public var context: Int32

        public init(ms: Int64, insertID: UUID128, context: Int32) {
            self.ms = ms
            self.insertID = insertID
            self.context = context
        }
    }

    /// One row of `installs`.
    public struct Install: Sendable {
        public var number: Int32
        public var owner: Int32
        public var first: FirstEvent?
        public var anonymousFirst: FirstEvent?

        public init(
            number: Int32,
            owner: Int32 = 0,
            first: FirstEvent? = nil,
            anonymousFirst: FirstEvent? = nil
        ) {
            self.number = number
            self.owner = owner
            self.first = first
            self.anonymousFirst = anonymousFirst
        }
    }

    /// One row of `users`.
    public struct User: Sendable {
        public var number: Int32
        public var first: FirstEvent?

        public init(number: Int32, first: FirstEvent? = nil) {
            self.number = number
            self.first = first
        }
    }
}

/// What has changed of an app's people since a map was made.
struct PeopleChanges: Sendable {
    var installs: [PeopleMap.Install] = []
    var users: [PeopleMap.User] = []
    var deletedInstalls: [Int32] = []
    var deletedUsers: [Int32] = []

    var hasDeletions: Bool { !deletedInstalls.isEmpty || !deletedUsers.isEmpty }
}

/// What is counted: people across devices, or each installation on its own.
public enum ReportUnit: String, Sendable, CaseIterable {
    case persons, installs
}
