/// Who the numbers in day blocks are: dense arrays over the installs and users of one app's environment.
///
/// A person is a number too: users keep theirs, installs nobody ever signed in on follow after the last user.
public struct PeopleMap: Sendable, Equatable {
    /// The moment and context of somebody's first event; nothing when `ms` is `Int64.max`.
    public struct First: Sendable, Equatable {
        public var ms: Int64
        public var context: Int32

        public static let never = First(ms: .max, context: 0)

        public init(ms: Int64, context: Int32) {
            self.ms = ms
            self.context = context
        }
    }

    /// One row of `installs`.
    public struct Install: Sendable {
        public var number: Int32
        public var owner: Int32
        public var first: First
        public var anonymousFirst: First

        public init(number: Int32, owner: Int32, first: First, anonymousFirst: First) {
            self.number = number
            self.owner = owner
            self.first = first
            self.anonymousFirst = anonymousFirst
        }
    }

    /// One row of `users`.
    public struct User: Sendable {
        public var number: Int32
        public var first: First

        public init(number: Int32, first: First) {
            self.number = number
            self.first = first
        }
    }

    let userCount: Int
    let installCount: Int
    /// By install number; 0 where nobody signed in.
    private var owner: [Int32]
    private var installFirst: [First]
    private var personFirst: [First]

    public init(installs: [Install], users: [User]) {
        userCount = Int(users.map(\.number).max() ?? 0)
        installCount = Int(installs.map(\.number).max() ?? 0)
        owner = [Int32](repeating: 0, count: installCount + 1)
        installFirst = [First](repeating: .never, count: installCount + 1)
        personFirst = [First](repeating: .never, count: userCount + installCount + 1)
        for user in users { personFirst[Int(user.number)] = user.first }
        for install in installs {
            let index = Int(install.number)
            owner[index] = install.owner
            installFirst[index] = install.first
            // Days before the sign-in belong to the owner: the first anonymous event may be the owner's first.
            let person = install.owner != 0 ? Int(install.owner) : userCount + index
            if install.anonymousFirst.ms < personFirst[person].ms {
                personFirst[person] = install.anonymousFirst
            }
        }
    }

    /// The number of a row's person, or of its install; 0 for a row that refers to nobody known.
    @inline(__always)
    func subject(install: Int32, user: Int32, unit: ReportUnit) -> Int {
        let index = Int(install)
        guard index > 0, index <= installCount else { return 0 }
        switch unit {
        case .installs: return index
        case .persons:
            if user > 0, Int(user) <= userCount { return Int(user) }
            let owner = owner[index]
            return owner > 0 ? Int(owner) : userCount + index
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

/// What is counted: people across devices, or each installation on its own.
public enum ReportUnit: String, Sendable, CaseIterable {
    case persons, installs
}
