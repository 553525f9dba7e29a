import Contracts
import Postgres
import Schema

/// The events of one batch that rules may reach, with the rules that are about them.
struct SuppressionBatch {
    /// What the ledger may say of one event.
    private struct Keys {
        let install: SuppressionKey
        /// Nil when the event names nobody.
        let user: SuppressionKey?
        /// Nil when the event names somebody.
        let anonymous: SuppressionKey?
    }

    private let events: [AdmittedEvents.Event]
    private var keysOf: [Int: Keys] = [:]
    private let inReach: [Int]
    private let hasher: SubjectHasher
    var rules: [SuppressionKey: [SuppressionRule]] = [:]

    init(_ events: [AdmittedEvents.Event], _ inReach: [Int], _ hasher: SubjectHasher) {
        self.events = events
        self.inReach = inReach
        self.hasher = hasher
        // By bytes: two spellings of one letter are equal as strings, and two people.
        var users: [[UInt8]: [UInt8]] = [:]
        var installs: [UUID128: [UInt8]] = [:]
        var anonymous: [InstallPlace: [UInt8]] = [:]
        for index in inReach {
            let event = events[index]
            let place = InstallPlace(event)
            let install = installs.value(of: event.install) { hasher.install($0) }
            var user: SuppressionKey?
            var nobody: SuppressionKey?
            if let id = event.event.userID {
                let hash = users.value(of: Array(id.utf8)) { hasher.user($0) }
                user = SuppressionKey(app: event.app, kind: .user, hash: hash)
            } else {
                let hash = anonymous.value(of: place) {
                    hasher.anonymous($0.install, environment: $0.environment)
                }
                nobody = SuppressionKey(app: event.app, kind: .installAnonymous, hash: hash)
            }
            keysOf[index] = Keys(
                install: SuppressionKey(app: event.app, kind: .install, hash: install),
                user: user,
                anonymous: nobody
            )
        }
    }

    var keys: Set<SuppressionKey> {
        var all: Set<SuppressionKey> = []
        for keys in keysOf.values {
            all.formUnion([keys.install, keys.user, keys.anonymous].compactMap { $0 })
        }
        return all
    }

    /// The positions of the suppressed events, and the rules for anonymous events that follow from them.
    ///
    /// Events that name somebody come first: they may tell that an install was an erased person's, and then its anonymous events are too,
    /// whether they are in this batch, come later, or are stored already.
    func decide(_ connection: isolated PostgresConnection) throws -> (Set<Int>, [LateLink]) {
        var suppressed: Set<Int> = []
        var late = LateLinks(hasher)
        for index in inReach {
            guard let keys = keysOf[index] else { continue }
            if !matching(keys.install, index).isEmpty { suppressed.insert(index) }
            guard let user = keys.user else { continue }
            let own = matching(user, index)
            if !own.isEmpty {
                suppressed.insert(index)
                late.note(events[index], own)
            }
        }
        let links = try late.found(in: events, connection)
        var rules = rules
        for link in links { rules[link.key, default: []].append(link.rule) }
        for index in inReach {
            guard let key = keysOf[index]?.anonymous else { continue }
            if rules[key]?.contains(where: { $0.covers(events[index]) }) == true { suppressed.insert(index) }
        }
        return (suppressed, links)
    }

    private func matching(_ key: SuppressionKey, _ index: Int) -> [SuppressionRule] {
        rules[key]?.filter { $0.covers(events[index]) } ?? []
    }

    /// A machine that receives may be ahead of the one that erases: the request must not end before what it took out was received.
    func noteClocksAhead(_ suppressed: Set<Int>, nowMs: Int64, _ connection: isolated PostgresConnection)
        throws
    {
        var latest: [UUID128: Int64] = [:]
        for index in suppressed where events[index].receivedAtMs > nowMs {
            guard let keys = keysOf[index] else { continue }
            for key in [keys.install, keys.user, keys.anonymous].compactMap({ $0 }) {
                for rule in rules[key] ?? [] where rule.finishedAtMs == nil {
                    latest[rule.request] = max(latest[rule.request] ?? .min, events[index].receivedAtMs)
                }
            }
        }
        for (request, ms) in latest.sorted(by: { $0.key < $1.key }) {
            try connection.execute(ErasureStatements.noteReceipt(of: request, ms: ms))
        }
    }
}

/// An install in one of its app's two worlds.
struct InstallPlace: Hashable, Sendable {
    let app: Int32
    let environment: Int16
    let install: UUID128

    init(_ staged: AdmittedEvents.Event) {
        app = staged.app
        environment = staged.environment
        install = staged.install
    }
}

extension Dictionary {
    /// The value of a key, made when it is not there yet.
    fileprivate mutating func value(of key: Key, make: (Key) -> Value) -> Value {
        if let found = self[key] { return found }
        let made = make(key)
        self[key] = made
        return made
    }
}
