import Calendar
import Contracts
public import Postgres
import Schema

/// Stores batches of messages: raw events once each, identities, dirty days and offsets in one transaction.
///
/// Owns what its one connection remembers: the apps and the partitions known to exist. Any error leaves the tables as they were; the caller
/// tries the same batch again, on a new connection if this one is lost.
public actor EventStore {
    private let connection: PostgresConnection
    private let topic: String
    private let suppression: SuppressionFilter?
    private var directory = AppDirectory()
    private var months: Set<Int32> = []

    /// Makes the staging tables of the connection.
    ///
    /// - Parameter suppression: nil where nobody was ever erased; a store without it refuses to work when the ledger is not empty.
    public init(
        connection: PostgresConnection,
        topic: String,
        suppression: SuppressionFilter? = nil
    ) async throws {
        self.connection = connection
        self.topic = topic
        self.suppression = suppression
        try await connection.script(StoreStatements.staging)
    }

    /// The stored position of each partition; one never stored is absent.
    public func offsets() async throws -> [Int32: Int64] {
        let rows = try await connection.rows(
            """
            SELECT partition, next_offset FROM consumer_offsets WHERE topic = \(topic)
            ORDER BY partition LIMIT 100000
            """
        ) { (try $0.int32(0), try $0.int64(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Stores one batch and moves the offsets, or does neither.
    ///
    /// - Throws: `Fenced` when another instance has moved a partition; `PostgresError`; `UnknownZone`.
    public func store(_ messages: [DecodedMessage], progress: [PartitionProgress]) async throws
        -> StoreOutcome
    {
        do {
            try await makePartitions(for: messages)
            return try await storeInTransaction(messages, progress)
        } catch {
            // It may be that somebody dropped a month: the next attempt looks again.
            months = []
            throw error
        }
    }

    private func storeInTransaction(
        _ messages: [DecodedMessage],
        _ progress: [PartitionProgress]
    ) async throws -> StoreOutcome {
        let directory = directory
        let (topic, suppression) = (topic, suppression)
        let (outcome, refreshed) = try await connection.transaction { connection in
            var directory = directory
            let epoch = try StoreBarrier.enter(connection)
            let horizon = try RetentionHorizon.stored(connection)
            try Self.fence(progress, topic: topic, connection)
            try directory.refresh(connection)
            var outcome = StoreOutcome()
            var staged = StagedEvents()
            for message in messages {
                try Self.stage(message, into: &staged, directory, topic, horizon, &outcome, connection)
            }
            outcome.events = staged.events.count
            outcome.suppressed =
                try SuppressionFilter.apply(suppression, to: &staged, epoch: epoch, connection)
            if !staged.events.isEmpty { outcome.new = try Self.merge(staged, connection) }
            try Self.move(progress, topic: topic, connection)
            return (outcome, directory)
        }
        self.directory = refreshed
        return outcome
    }

    /// Makes missing months in transactions of their own: adding one locks the whole table for a moment.
    private func makePartitions(for messages: [DecodedMessage]) async throws {
        var missing: [Int32: Int64] = [:]
        for message in messages {
            guard case .events(let content) = message.content else { continue }
            for event in content.events {
                let month = LocalZone.utc.day(ofMs: event.eventTimeMs).firstOfMonth
                if !months.contains(month.number) { missing[month.number] = event.eventTimeMs }
            }
        }
        guard !missing.isEmpty else { return }
        let horizon = try await connection.perform { try RetentionHorizon.stored($0) }
        for (month, ms) in missing.sorted(by: { $0.key < $1.key }) where month >= horizon.firstDay.number {
            try await ensurePartition(ms: ms)
            months.insert(month)
        }
    }

    /// Makes the partition that holds an instant, unless it exists.
    public func ensurePartition(ms: Int64) async throws {
        _ = try await connection.rows(
            "SELECT ensure_events_partition(\(PostgresTimestamp(ms: ms))::timestamptz) LIMIT 1"
        ) {
            try $0.bool(0)
        }
    }

    /// Locks the partitions' rows and checks that nobody else has moved them.
    static func fence(
        _ progress: [PartitionProgress],
        topic: String,
        _ connection: isolated PostgresConnection
    ) throws {
        for partition in progress.sorted(by: { $0.partition < $1.partition }) {
            _ = try connection.execute(
                """
                INSERT INTO consumer_offsets (topic, partition, next_offset)
                VALUES (\(topic), \(partition.partition), \(partition.expected)) ON CONFLICT DO NOTHING
                """
            )
            let stored = try connection.first(
                """
                SELECT next_offset FROM consumer_offsets
                WHERE topic = \(topic) AND partition = \(partition.partition) FOR UPDATE
                """
            ) { try $0.int64(0) }
            guard stored == partition.expected else { throw Fenced() }
        }
    }

    static func move(
        _ progress: [PartitionProgress],
        topic: String,
        _ connection: isolated PostgresConnection
    ) throws {
        for partition in progress {
            _ = try connection.execute(
                """
                UPDATE consumer_offsets SET next_offset = \(partition.next), updated_at = now()
                WHERE topic = \(topic) AND partition = \(partition.partition)
                """
            )
        }
    }

    private static func stage(
        _ message: DecodedMessage,
        into staged: inout StagedEvents,
        _ directory: AppDirectory,
        _ topic: String,
        _ horizon: RetentionHorizon,
        _ outcome: inout StoreOutcome,
        _ connection: isolated PostgresConnection
    ) throws {
        let reason: SetAsideReason
        let payload: [UInt8]
        switch message.content {
        case .events(let content):
            if let app = directory[content.appID] {
                let kept = content.kept(since: horizon, in: app.zone, expired: &outcome.expired)
                staged.add(kept, app: app)
                return
            }
            // The events of a deleted app are nobody's: they are counted, their content is not kept.
            (reason, payload) = (.unknownApp, [])
        case .unusable(let why, let bytes):
            (reason, payload) = (why, bytes)
        }
        outcome.setAside.append(reason)
        _ = try connection.execute(
            """
            INSERT INTO set_aside_messages (topic, partition, message_offset, reason, payload)
            VALUES (\(topic), \(message.partition), \(message.offset), \(reason.rawValue), \(payload)::bytea)
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Returns how many events were new.
    private static func merge(_ staged: StagedEvents, _ connection: isolated PostgresConnection) throws -> Int
    {
        try staged.copy(to: connection)
        _ = try connection.execute(StoreStatements.contexts)
        let new = try connection.execute(StoreStatements.fresh(in: staged.searchRange))
        guard new > 0 else { return 0 }
        _ = try connection.execute(StoreStatements.counters)
        _ = try connection.rows(StoreStatements.lockCounters) { try $0.int32(0) }
        _ = try connection.execute(StoreStatements.installs)
        _ = try connection.execute(StoreStatements.users)
        _ = try connection.execute(StoreStatements.numbered)
        guard try connection.execute(StoreStatements.events) == new else { throw PostgresError.lostInsertID }
        for statement in IdentityStatements.all { _ = try connection.execute(statement) }
        _ = try connection.execute(StoreStatements.userInstalls)
        _ = try connection.execute(StoreStatements.dirtyDays)
        for key in staged.pendingDays { _ = try connection.execute(DayStatements.mark(key, cause: .events)) }
        return new
    }
}

extension PostgresError {
    /// Another store committed one of the insert ids after this one had looked for them.
    ///
    /// Numbers and first facts were made for an event that is not stored, so the batch must run again: then it is found to be a repeat.
    fileprivate static let lostInsertID = PostgresError(
        sqlState: "40001",
        message: "an insert id was stored by another session at the same moment"
    )
}
