import Calendar
import Contracts

/// An install's row as far as it is known: its number and bounds of its first facts.
///
/// A first fact in the table only ever gets smaller, whoever stores, so one that was seen there is an upper bound: an event that is not
/// earlier can leave the row alone. `.max` says that nothing is known.
struct KnownInstall: Sendable, Equatable {
    let number: Int32
    var lastDay = Int32.min
    var firstMs = Int64.max
    var anonymousFirstMs = Int64.max
    var ownerMs = Int64.max
    /// A user it is known to be linked to: the one its latest event named.
    var linkedUser: Int32 = 0
}

/// A user's row as far as it is known.
struct KnownUser: Sendable, Equatable {
    let number: Int32
    var lastDay = Int32.min
    var firstMs = Int64.max
}

/// What a store remembers of rows it has read or committed, so that events of known people need no look-up and no update.
///
/// Bounded, and void as soon as the store epoch moves: erasing, expiring and merging move it. Only what was committed gets in.
struct StoreMemory: Sendable {
    private(set) var contexts: GenerationCache<ContextKey, Int32>
    private(set) var installs: GenerationCache<InstallKey, KnownInstall>
    private(set) var users: GenerationCache<UserKey, KnownUser>
    /// Days on which an app has had all the new contexts it may have.
    private(set) var fullDays: Set<ContextDay> = []
    private(set) var epoch: Int64 = 0
    private let limits: StoreLimits
    private static let contextsMax = 200_000
    private static let fullDaysMax = 10_000

    init(limits: StoreLimits) {
        self.limits = limits
        contexts = GenerationCache(capacity: Self.contextsMax)
        installs = GenerationCache(capacity: limits.cachedPeopleMax)
        users = GenerationCache(capacity: limits.cachedPeopleMax)
    }

    /// What a transaction of this epoch may rely on.
    func valid(in epoch: Int64) -> StoreMemory {
        epoch == self.epoch ? self : StoreMemory(limits: limits)
    }

    mutating func forget() {
        self = StoreMemory(limits: limits)
    }

    /// Takes in what a batch knew when it was committed.
    mutating func learn(_ learned: LearnedRows, in epoch: Int64) {
        if epoch != self.epoch {
            forget()
            self.epoch = epoch
        }
        for (key, number) in learned.contexts { contexts.remember(number, for: key) }
        for (key, install) in learned.installs { installs.remember(install, for: key) }
        for (key, user) in learned.users { users.remember(user, for: key) }
        if fullDays.count > Self.fullDaysMax { fullDays = [] }
        fullDays.formUnion(learned.fullDays)
    }
}

/// What a batch found out or made, to be remembered once it is committed.
struct LearnedRows: Sendable {
    var contexts: [(ContextKey, Int32)] = []
    var installs: [(InstallKey, KnownInstall)] = []
    var users: [(UserKey, KnownUser)] = []
    var fullDays: Set<ContextDay> = []
}

/// Bounds of a store.
public struct StoreLimits: Sendable {
    /// New contexts an app may bring on one UTC day of receipt; see `ContextGuard`.
    public var contextsPerDayMax: Int
    /// Installs remembered, and users as well.
    public var cachedPeopleMax: Int

    public static let contextsPerDayDefault = 50_000
    public static let cachedPeopleDefault = 500_000

    public init(
        contextsPerDayMax: Int = contextsPerDayDefault,
        cachedPeopleMax: Int = cachedPeopleDefault
    ) {
        self.contextsPerDayMax = contextsPerDayMax
        self.cachedPeopleMax = cachedPeopleMax
    }
}
