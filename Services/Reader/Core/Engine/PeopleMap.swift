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
        for user in users { add(user) }
        for install in installs { add(install) }
        deriveAll()
    }

    /// Makes room for numbers up to these, so that adding does not have to.
    mutating func reserve(installs: Int32, users: Int32) {
        self.installs.grow(to: Int(max(0, installs)) + 1)
        self.users.grow(to: Int(max(0, users)) + 1)
    }

    /// Adds a row; call `deriveAll` after the last.
    mutating func add(_ install: Install) {
        var touched = TouchedMoments()
        _ = installs.put(install, &touched)
    }

    /// Adds a row; call `deriveAll` after the last.
    mutating func add(_ user: User) {
        _ = users.put(user)
    }

    /// Takes over what has changed; deleted numbers are nobody from then on.
    ///
    /// Returns the moments of first events that came or went, for whoever keeps lists of who was new when. They say nothing when
    /// `mapping` has moved: then anybody may be somebody else.
    @discardableResult
    mutating func apply(_ changes: PeopleChanges) -> [Int64] {
        var touched = TouchedMoments()
        var mustDerive = changes.hasDeletions
        for number in changes.deletedInstalls { installs.remove(number) }
        for number in changes.deletedUsers { users.remove(number) }
        for user in changes.users where users.put(user) == .moved { mustDerive = true }
        for install in changes.installs {
            switch installs.put(install, &touched) {
            case .new, .unchanged: break
            case .claimed: mapping += 1
            case .moved: mustDerive = true
            }
        }
        guard !mustDerive else {
            mapping += 1
            deriveAll()
            return touched.all
        }
        for user in changes.users { users.note(user.first, of: user.number, &touched) }
        for install in changes.installs where install.owner > 0 {
            users.note(install.anonymousFirst, of: install.owner, &touched)
        }
        return touched.all
    }

    /// Days before a sign-in belong to the owner: the first anonymous event of an install may be its owner's first.
    mutating func deriveAll() {
        var touched = TouchedMoments()
        users.deriveFromOwn()
        for number in 1..<max(1, installs.owner.count) where installs.isThere[number] {
            let owner = installs.owner[number]
            if owner > 0 { users.note(installs.anonymousFirst(of: number), of: owner, &touched) }
        }
    }

    /// The number of a row's person, or of its install; 0 for a row that refers to nobody known.
    @inline(__always)
    func subject(install: Int32, user: Int32, unit: ReportUnit) -> Int32 {
        switch unit {
        case .persons: return withPersons { $0.person(install: install, user: user) }
        case .installs:
            let index = Int(install)
            return index > 0 && index < installs.isThere.count && installs.isThere[index] ? install : 0
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

    /// Whether everybody of another map is in this one as well.
    func hasEverybody(of other: PeopleMap) -> Bool {
        func contains(_ these: [Bool], _ others: [Bool]) -> Bool {
            these.count >= others.count && zip(these, others).allSatisfy { $0 || !$1 }
        }
        return contains(installs.isThere, other.installs.isThere) && contains(users.there, other.users.there)
    }

    var rowCount: Int { installs.isThere.count + users.count }

    /// Bytes of memory, about.
    var bytes: Int { installs.bytes + users.bytes }
}

extension PeopleMap {
    /// The moment and context of somebody's first event; nothing when `ms` is `Int64.max`.
    struct First: Sendable, Equatable {
        var ms: Int64
        var context: Int32

        static let never = First(ms: .max, context: 0)

        init(ms: Int64, context: Int32) {
            self.ms = ms
            self.context = context
        }

        init(_ event: FirstEvent?) {
            self = event.map { First(ms: $0.ms, context: $0.context) } ?? .never
        }
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
