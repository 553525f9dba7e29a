import Contracts
import Postgres
import Schema

/// Finds the numbers of a batch's contexts, and makes those that are missing.
struct BatchContexts {
    private let contexts: [AdmittedEvents.Context]
    /// Positions of those that unseen events use, in the order they came.
    private let used: [Int]
    private let memory: StoreMemory
    private var known: [ContextKey: Int32] = [:]
    private var guardian: ContextGuard
    /// Contexts that lost their free text, by app.
    private(set) var cut: [UUID128: Int] = [:]
    /// By the position in the batch's contexts; 0 where no unseen event uses one.
    private(set) var numbers: [Int32]

    init(of admitted: AdmittedEvents, used unseen: [Int], memory: StoreMemory, limits: StoreLimits) {
        contexts = admitted.contexts
        self.memory = memory
        guardian = ContextGuard(limit: limits.contextsPerDayMax, full: memory.fullDays)
        numbers = [Int32](repeating: 0, count: admitted.contexts.count)
        var isUsed = [Bool](repeating: false, count: admitted.contexts.count)
        for position in unseen { isUsed[admitted.events[position].context] = true }
        used = isUsed.indices.filter { isUsed[$0] }
    }

    mutating func resolve(_ connection: isolated PostgresConnection) throws {
        var missing = try unknown(contexts: used.map { contexts[$0] }, connection)
        if !missing.isEmpty {
            try guardian.lock(Set(missing.map(\.day)), connection)
            // Another store may have made some of them before we had the lock.
            missing = try unknown(contexts: missing, connection)
            try make(missing, connection)
        }
        for position in used { numbers[position] = known[contexts[position].key] ?? 0 }
    }

    func teach(_ learned: inout LearnedRows) {
        for position in used where !reduced.contains(contexts[position].key) {
            learned.contexts.append((contexts[position].key, numbers[position]))
        }
        for key in made { learned.contexts.append((key, known[key] ?? 0)) }
        learned.fullDays = guardian.full
    }

    /// Contexts that stand for a reduced one, and only today: on another day there is room for them again.
    private var reduced: Set<ContextKey> = []
    private var made: [ContextKey] = []

    /// Those among `contexts` that neither the memory nor the table has.
    private mutating func unknown(
        contexts: [AdmittedEvents.Context],
        _ connection: isolated PostgresConnection
    ) throws -> [AdmittedEvents.Context] {
        var asked: [AdmittedEvents.Context] = []
        for context in contexts where known[context.key] == nil {
            if let number = memory.contexts[context.key] {
                known[context.key] = number
            } else {
                asked.append(context)
            }
        }
        guard !asked.isEmpty else { return [] }
        for (number, context) in try connection.rows(ContextRows.look(for: asked), decode: ContextRows.number)
        {
            known[asked[number - 1].key] = context
        }
        return asked.filter { known[$0.key] == nil }
    }

    /// The first ones get what room there is; of the others only what cannot grow without bound is kept.
    private mutating func make(
        _ missing: [AdmittedEvents.Context],
        _ connection: isolated PostgresConnection
    ) throws {
        var admitted: [AdmittedEvents.Context] = []
        var replacements: [(key: ContextKey, context: AdmittedEvents.Context)] = []
        for context in missing {
            let rest = context.withoutFreeText
            if rest.key == context.key || guardian.admits(context.day) {
                admitted.append(context)
            } else {
                replacements.append((context.key, rest))
                cut[context.appID, default: 0] += 1
            }
        }
        try ContextGuard.record(try insert(admitted, connection), connection)
        var rests: [ContextKey: AdmittedEvents.Context] = [:]
        for replacement in replacements { rests[replacement.context.key] = replacement.context }
        _ = try insert(try unknown(contexts: Array(rests.values), connection), connection)
        made = Array(rests.keys)
        for replacement in replacements {
            known[replacement.key] = known[replacement.context.key]
            reduced.insert(replacement.key)
        }
    }

    /// Returns how many were made for each day; another store may have made some at the same moment.
    private mutating func insert(
        _ contexts: [AdmittedEvents.Context],
        _ connection: isolated PostgresConnection
    ) throws -> [ContextDay: Int] {
        guard !contexts.isEmpty else { return [:] }
        let made = try connection.rows(ContextRows.insert(contexts), decode: ContextRows.made)
        for (key, number) in made { known[key] = number }
        var counts: [ContextDay: Int] = [:]
        let keys = Set(made.map(\.0))
        for context in contexts where keys.contains(context.key) && context.hasFreeText {
            counts[context.day, default: 0] += 1
        }
        _ = try unknown(contexts: contexts, connection)
        return counts
    }
}

extension AdmittedEvents.Context {
    var day: ContextDay { ContextDay(app: key.app, day: receivedOn) }

    fileprivate var hasFreeText: Bool { context.withoutFreeText != context }

    fileprivate var withoutFreeText: AdmittedEvents.Context {
        let rest = context.withoutFreeText
        return AdmittedEvents.Context(
            key: ContextKey(app: key.app, fingerprint: rest.fingerprint),
            appID: appID,
            receivedOn: receivedOn,
            context: rest
        )
    }
}
