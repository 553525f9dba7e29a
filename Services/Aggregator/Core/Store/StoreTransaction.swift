import Calendar
import Contracts
import Postgres
import Schema

/// What a committed batch leaves behind.
struct StoredBatch: Sendable {
    let outcome: StoreOutcome
    let directory: AppDirectory
    let learned: LearnedRows
    let epoch: Int64
}

/// The steps of one batch inside its transaction.
///
/// Works on a copy of what the store remembers and changes nothing of it: a transaction that is rolled back leaves no trace in the process.
struct StoreTransaction {
    private let fence: OffsetFence
    private let limits: StoreLimits
    private var directory: AppDirectory
    private var memory: StoreMemory
    private let suppression: SuppressionFilter?
    private var horizon = RetentionHorizon(firstDay: .first)
    private var admitted = AdmittedEvents()
    private var outcome = StoreOutcome()
    private var learned = LearnedRows()

    init(
        fence: OffsetFence,
        directory: AppDirectory,
        memory: StoreMemory,
        limits: StoreLimits,
        suppression: SuppressionFilter?
    ) {
        self.fence = fence
        self.suppression = suppression
        self.directory = directory
        self.memory = memory
        self.limits = limits
    }

    mutating func run(
        _ messages: [DecodedMessage],
        _ connection: isolated PostgresConnection
    ) throws -> StoredBatch {
        let epoch = try StoreBarrier.enter(connection)
        memory = memory.valid(in: epoch)
        horizon = try RetentionHorizon.stored(connection)
        try fence.lock(connection)
        try directory.refresh(connection)
        for message in messages { try admit(message, connection) }
        outcome.events = admitted.events.count
        outcome.suppressed =
            try SuppressionFilter.apply(suppression, to: &admitted, epoch: epoch, connection)
        if !admitted.events.isEmpty { try storeUnseen(connection) }
        try fence.move(connection)
        return StoredBatch(outcome: outcome, directory: directory, learned: learned, epoch: epoch)
    }

    /// The one door for events: whatever must keep some of them out does it here, before anything is looked up.
    private mutating func admit(
        _ message: DecodedMessage,
        _ connection: isolated PostgresConnection
    ) throws {
        switch message.content {
        case .events(let content):
            if let app = directory[content.appID] {
                let kept = content.kept(since: horizon, in: app.zone, expired: &outcome.expired)
                admitted.add(kept, fingerprints: message.fingerprints, app: app)
            } else {
                // The events of a deleted app are nobody's: they are counted, their content is not kept.
                try setAside(message, .unknownApp, payload: [], connection)
            }
        case .unusable(let reason, let payload):
            try setAside(message, reason, payload: payload, connection)
        }
    }

    private mutating func setAside(
        _ message: DecodedMessage,
        _ reason: SetAsideReason,
        payload: [UInt8],
        _ connection: isolated PostgresConnection
    ) throws {
        outcome.setAside.append(reason)
        _ = try connection.execute(
            """
            INSERT INTO set_aside_messages (topic, partition, message_offset, reason, payload)
            VALUES (\(fence.topic), \(message.partition), \(message.offset), \(reason.rawValue), \(payload)::bytea)
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Every statement works on the whole batch, and only on what is not remembered.
    private mutating func storeUnseen(_ connection: isolated PostgresConnection) throws {
        let unseen = try UnseenEvents(of: admitted, connection)
        outcome.new = unseen.arrivals.count
        guard !unseen.arrivals.isEmpty else { return }

        var contexts = BatchContexts(of: admitted, used: unseen.arrivals, memory: memory, limits: limits)
        try contexts.resolve(connection)
        outcome.contextsCut = contexts.cut

        var people = BatchPeople(of: admitted, unseen: unseen.arrivals, memory: memory)
        try PeopleNumbers.resolve(&people, connection)
        people.gatherFacts(contexts: contexts.numbers)
        try PeopleRows.insertNew(people, connection)

        let rows = EventRows(admitted: admitted, people: people, contexts: contexts.numbers)
        try rows.copy(unseen.sorted, to: connection)
        try IdentityUpdates(people).run(connection)
        try UserInstallLinks.add(people, connection)
        try DayMarks.add(unseen.arrivals, of: admitted, connection)

        contexts.teach(&learned)
        people.teach(&learned)
    }
}
