public import Contracts

/// Who the numbers in day blocks are: dense arrays over the installs and users of one app's environment.
///
/// A person is a number too: users keep theirs, installs nobody ever signed in on follow after the last user.
public struct PeopleMap: Sendable, Equatable {
    /// The moment and context of somebody's first event; nothing when `ms` is `Int64.max`.
    struct First: Sendable, Equatable {
        var ms: Int64
        var context: Int32

        static let never = First(ms: .max, context: 0)
    }

    /// A first event as the tables keep it: of two at the same moment, the smaller insert id is the first, as everywhere.
    public struct FirstEvent: Sendable {
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

    let userCount: Int
    let installCount: Int
    /// By install number; 0 where nobody signed in.
    private var owner: [Int32]
    /// By install and by user number: whether the tables still have them.
    private var isInstall: [Bool]
    private var isUser: [Bool]
    private var installFirst: [First]
    private var personFirst: [First]

    public init(installs: [Install], users: [User]) {
        userCount = Int(users.map(\.number).max() ?? 0)
        installCount = Int(installs.map(\.number).max() ?? 0)
        owner = [Int32](repeating: 0, count: installCount + 1)
        isInstall = [Bool](repeating: false, count: installCount + 1)
        isUser = [Bool](repeating: false, count: userCount + 1)
        installFirst = [First](repeating: .never, count: installCount + 1)
        personFirst = [First](repeating: .never, count: userCount + installCount + 1)
        var insertIDs = [UUID128](repeating: .zero, count: personFirst.count)
        for user in users {
            isUser[Int(user.number)] = true
            note(user.first, of: Int(user.number), &insertIDs)
        }
        for install in installs {
            let index = Int(install.number)
            isInstall[index] = true
            owner[index] = install.owner
            installFirst[index] = First(install.first)
            // Days before the sign-in belong to the owner: the first anonymous event may be the owner's first.
            note(
                install.anonymousFirst,
                of: subject(install: install.number, user: 0, unit: .persons),
                &insertIDs
            )
        }
    }

    private mutating func note(_ event: FirstEvent?, of person: Int, _ insertIDs: inout [UUID128]) {
        guard let event, person > 0 else { return }
        guard (event.ms, event.insertID) < (personFirst[person].ms, insertIDs[person]) else { return }
        personFirst[person] = First(event)
        insertIDs[person] = event.insertID
    }

    /// The number of a row's person, or of its install; 0 for a row that refers to nobody known.
    @inline(__always)
    func subject(install: Int32, user: Int32, unit: ReportUnit) -> Int {
        let index = Int(install)
        guard index > 0, index <= installCount, isInstall[index] else { return 0 }
        switch unit {
        case .installs: return index
        case .persons:
            let person = Int(user > 0 ? user : owner[index])
            guard person > 0 else { return userCount + index }
            return person <= userCount && isUser[person] ? person : 0
        }
    }

    /// One more than the greatest subject number.
    func subjectLimit(_ unit: ReportUnit) -> Int {
        switch unit {
        case .installs: installCount + 1
        case .persons: userCount + installCount + 1
        }
    }

    func first(of subject: Int, unit: ReportUnit) -> First {
        switch unit {
        case .installs: installFirst[subject]
        case .persons: personFirst[subject]
        }
    }
}

extension PeopleMap.First {
    fileprivate init(_ event: PeopleMap.FirstEvent?) {
        self = event.map { Self(ms: $0.ms, context: $0.context) } ?? .never
    }
}

/// What is counted: people across devices, or each installation on its own.
public enum ReportUnit: String, Sendable, CaseIterable {
    case persons, installs
}
