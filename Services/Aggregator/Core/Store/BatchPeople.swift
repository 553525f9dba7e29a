import Calendar
import Contracts

/// The earliest event of some kind, and what it says: a context, or a user for an owner.
struct FirstFact: Sendable {
    let ms: Int64
    let insertID: UUID128
    let number: Int32

    func precedes(_ other: FirstFact?) -> Bool {
        guard let other else { return true }
        return (ms, insertID) < (other.ms, other.insertID)
    }
}

/// The installs and users of a batch's unseen events, with what these events say of them.
struct BatchPeople {
    struct Install {
        let key: InstallKey
        /// Nil until its row was found; then still nil when there is none.
        var known: KnownInstall?
        var number: Int32
        var first: FirstFact?
        var anonymousFirst: FirstFact?
        var owner: FirstFact?
        var lastDay = Int32.min
        var lastUser: Int32 = 0
    }

    struct User {
        let key: UserKey
        let id: String
        var known: KnownUser?
        var number: Int32
        var first: FirstFact?
        var lastDay = Int32.min
    }

    struct Event {
        /// In `AdmittedEvents.events`.
        let position: Int
        /// In `installs`.
        let install: Int
        /// In `users`.
        let user: Int?
    }

    private let admitted: AdmittedEvents
    private(set) var events: [Event] = []
    var installs: [Install] = []
    var users: [User] = []
    /// Pairs of an install and a user (by position) that the memory does not have as linked.
    private(set) var links: Set<Link> = []

    struct Link: Hashable {
        let install: Int
        let user: Int
    }

    init(of admitted: AdmittedEvents, unseen: [Int], memory: StoreMemory) {
        self.admitted = admitted
        var index = PeopleIndex(memory: memory)
        events.reserveCapacity(unseen.count)
        for position in unseen {
            let event = admitted.events[position]
            let install = index.install(of: event, in: &installs)
            let user = event.event.userID.map { index.user($0, of: event, in: &users) }
            events.append(Event(position: position, install: install, user: user))
        }
    }

    /// Looks at every event once all numbers are known.
    mutating func gatherFacts(contexts: [Int32]) {
        for row in events {
            let (event, context) = (
                admitted.events[row.position].event, contexts[admitted.events[row.position].context]
            )
            let fact = FirstFact(ms: event.eventTimeMs, insertID: event.insertID, number: context)
            let day = LocalZone.utc.day(ofMs: event.eventTimeMs).number
            add(fact, day: day, user: row.user, toInstall: row.install)
            if let user = row.user {
                if fact.precedes(users[user].first) { users[user].first = fact }
                users[user].lastDay = max(users[user].lastDay, day)
            }
        }
    }

    private mutating func add(_ fact: FirstFact, day: Int32, user: Int?, toInstall position: Int) {
        if fact.precedes(installs[position].first) { installs[position].first = fact }
        installs[position].lastDay = max(installs[position].lastDay, day)
        guard let user else {
            if fact.precedes(installs[position].anonymousFirst) { installs[position].anonymousFirst = fact }
            return
        }
        let number = users[user].number
        let owner = FirstFact(ms: fact.ms, insertID: fact.insertID, number: number)
        if owner.precedes(installs[position].owner) { installs[position].owner = owner }
        installs[position].lastUser = number
        if installs[position].known?.linkedUser != number {
            links.insert(Link(install: position, user: user))
        }
    }

    /// Bounds of the rows as they are once this batch is committed.
    func teach(_ learned: inout LearnedRows) {
        for install in installs {
            var known = install.known ?? KnownInstall(number: install.number)
            known.lastDay = max(known.lastDay, install.lastDay)
            known.firstMs = min(known.firstMs, install.first?.ms ?? .max)
            known.anonymousFirstMs = min(known.anonymousFirstMs, install.anonymousFirst?.ms ?? .max)
            known.ownerMs = min(known.ownerMs, install.owner?.ms ?? .max)
            if install.lastUser != 0 { known.linkedUser = install.lastUser }
            learned.installs.append((install.key, known))
        }
        for user in users {
            var known = user.known ?? KnownUser(number: user.number)
            known.lastDay = max(known.lastDay, user.lastDay)
            known.firstMs = min(known.firstMs, user.first?.ms ?? .max)
            learned.users.append((user.key, known))
        }
    }
}

/// Gives each install and user of a batch one place.
///
/// Events of one install come in a row, so the last answer is kept at hand.
private struct PeopleIndex {
    let memory: StoreMemory
    private var installs: [InstallKey: Int] = [:]
    private var users: [UserKey: Int] = [:]
    private var last: (key: InstallKey, position: Int)?
    private var lastUser: (app: Int32, environment: Int16, id: String, position: Int)?

    init(memory: StoreMemory) { self.memory = memory }

    mutating func install(of event: AdmittedEvents.Event, in list: inout [BatchPeople.Install]) -> Int {
        let key = InstallKey(app: event.app, environment: event.environment, id: event.install)
        if let last, last.key == key { return last.position }
        let position: Int
        if let found = installs[key] {
            position = found
        } else {
            position = list.count
            installs[key] = position
            let known = memory.installs[key]
            list.append(BatchPeople.Install(key: key, known: known, number: known?.number ?? 0))
        }
        last = (key, position)
        return position
    }

    mutating func user(
        _ id: String,
        of event: AdmittedEvents.Event,
        in list: inout [BatchPeople.User]
    ) -> Int {
        if let lastUser, lastUser.app == event.app, lastUser.environment == event.environment,
            lastUser.id.utf8.elementsEqual(id.utf8)
        {
            return lastUser.position
        }
        let key = UserKey(app: event.app, environment: event.environment, userID: id)
        let position: Int
        if let found = users[key] {
            position = found
        } else {
            position = list.count
            users[key] = position
            let known = memory.users[key]
            list.append(BatchPeople.User(key: key, id: id, known: known, number: known?.number ?? 0))
        }
        lastUser = (event.app, event.environment, id, position)
        return position
    }
}
