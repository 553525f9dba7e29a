import Calendar
import Contracts
public import Postgres
import Schema

/// Stores batches of messages: raw events once each, identities, dirty days and offsets in one transaction.
///
/// Owns what its one connection remembers: the apps, the months known to exist and the rows it has met. Any error leaves the tables as they
/// were; the caller tries the same batch again, on a new connection if this one is lost.
public actor EventStore {
    private let connection: PostgresConnection
    private let topic: String
    private let limits: StoreLimits
    private let suppression: SuppressionFilter?
    private var directory = AppDirectory()
    private var months = KnownMonths()
    private var memory: StoreMemory

    /// - Parameter suppression: nil where nobody was ever erased; a store without it refuses to work when the ledger is not empty.
    public init(
        connection: PostgresConnection,
        topic: String,
        limits: StoreLimits = StoreLimits(),
        suppression: SuppressionFilter? = nil
    ) async throws {
        self.connection = connection
        self.topic = topic
        self.suppression = suppression
        self.limits = limits
        memory = StoreMemory(limits: limits)
        try await connection.script(StoreSession.settings)
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
            let stored = try await transact(messages, progress)
            directory = stored.directory
            memory.learn(stored.learned, in: stored.epoch)
            return stored.outcome
        } catch {
            // Nothing of the batch was remembered. What was known before goes as well: it may be the reason, say a month that was dropped.
            months.forget()
            memory.forget()
            throw error
        }
    }

    /// Apart from `store`, so that no second reference to the memory is left when that takes in what was learned.
    private func transact(
        _ messages: [DecodedMessage],
        _ progress: [PartitionProgress]
    ) async throws -> StoredBatch {
        let fence = OffsetFence(topic: topic, progress: progress)
        let (directory, memory, limits, suppression) = (directory, memory, limits, suppression)
        return try await connection.transaction { connection in
            var batch = StoreTransaction(
                fence: fence,
                directory: directory,
                memory: memory,
                limits: limits,
                suppression: suppression
            )
            return try batch.run(messages, connection)
        }
    }

    /// Makes missing months in transactions of their own: adding one locks the whole table for a moment.
    private func makePartitions(for messages: [DecodedMessage]) async throws {
        let missing = months.missing(for: messages)
        guard !missing.isEmpty else { return }
        let horizon = try await connection.perform { try RetentionHorizon.stored($0) }
        for ms in missing where LocalZone.utc.day(ofMs: ms).firstOfMonth >= horizon.firstDay {
            try await ensurePartition(ms: ms)
            months.add(monthOf: ms)
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
}
