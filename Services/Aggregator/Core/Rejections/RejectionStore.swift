public import Contracts
public import Postgres
import Schema

/// A message of the rejections topic after decoding: usable, or set aside with a reason.
public struct DecodedRejections: Sendable {
    public enum Content: Sendable {
        case rejections(RejectionMessage)
        case unusable(reason: SetAsideReason, payload: [UInt8])
    }

    public let partition: Int32
    public let offset: Int64
    public let content: Content

    public init(partition: Int32, offset: Int64, content: Content) {
        self.partition = partition
        self.offset = offset
        self.content = content
    }
}

/// What storing one batch of rejections came to.
public struct RejectionOutcome: Sendable, Equatable {
    /// Rows that were not there before; repeats and what is too old to keep are left out.
    public var new = 0
    public var setAside: [SetAsideReason] = []

    public init(new: Int = 0, setAside: [SetAsideReason] = []) {
        (self.new, self.setAside) = (new, setAside)
    }
}

/// Stores batches of rejections: a row each, once, and the offsets in one transaction.
///
/// Any error leaves the tables as they were; the caller tries the same batch again.
public actor RejectionStore {
    private let connection: PostgresConnection
    private let topic: String

    /// Makes the staging table of the connection.
    public init(connection: PostgresConnection, topic: String) async throws {
        self.connection = connection
        self.topic = topic
        try await connection.script(RejectionStatements.staging)
    }

    /// The stored position of each partition; one never stored is absent.
    public func offsets() async throws -> [Int32: Int64] {
        try await connection.perform { [topic] in try ConsumerOffsets.stored(of: topic, $0) }
    }

    /// Stores one batch and moves the offsets, or does neither.
    ///
    /// - Parameter oldestMs: what was received before is not stored.
    /// - Throws: `Fenced` when another instance has moved a partition; `PostgresError`.
    public func store(
        _ messages: [DecodedRejections],
        progress: [PartitionProgress],
        oldestMs: Int64
    ) async throws -> RejectionOutcome {
        let topic = topic
        return try await connection.transaction { connection in
            let fence = OffsetFence(topic: topic, progress: progress)
            try fence.lock(connection)
            let apps = try Self.apps(of: messages, connection)
            var outcome = RejectionOutcome()
            for message in messages {
                guard let aside = Self.reasonToSetAside(message, apps) else { continue }
                outcome.setAside.append(aside.reason)
                try Self.setAside(message, aside.reason, aside.payload, topic: topic, connection)
            }
            try Self.copy(messages, apps, oldestMs: oldestMs, connection)
            outcome.new = try connection.execute(RejectionStatements.insert)
            try fence.move(connection)
            return outcome
        }
    }

    /// The numbers of the apps that a batch names; one that was deleted is absent.
    private static func apps(
        of messages: [DecodedRejections],
        _ connection: isolated PostgresConnection
    ) throws -> [UUID128: Int32] {
        var named: Set<UUID128> = []
        for case .rejections(let message) in messages.lazy.map(\.content) { named.insert(message.appID) }
        guard !named.isEmpty else { return [:] }
        let ids = named.map(\.description)
        let rows = try connection.rows(
            "SELECT app_id, app_no FROM apps WHERE app_id = ANY(\(ids)::uuid[]) ORDER BY app_no LIMIT 1000000"
        ) { (try $0.uuid128(0), try $0.int32(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    private static func reasonToSetAside(
        _ message: DecodedRejections,
        _ apps: [UUID128: Int32]
    ) -> (reason: SetAsideReason, payload: [UInt8])? {
        switch message.content {
        case .rejections(let content): apps[content.appID] == nil ? (.unknownApp, []) : nil
        case .unusable(let reason, let payload): (reason, payload)
        }
    }

    private static func setAside(
        _ message: DecodedRejections,
        _ reason: SetAsideReason,
        _ payload: [UInt8],
        topic: String,
        _ connection: isolated PostgresConnection
    ) throws {
        _ = try connection.execute(
            """
            INSERT INTO set_aside_messages (topic, partition, message_offset, reason, payload)
            VALUES (\(topic), \(message.partition), \(message.offset), \(reason.rawValue), \(payload)::bytea)
            ON CONFLICT DO NOTHING
            """
        )
    }

    private static func copy(
        _ messages: [DecodedRejections],
        _ apps: [UUID128: Int32],
        oldestMs: Int64,
        _ connection: isolated PostgresConnection
    ) throws {
        _ = try connection.copyIn("COPY staged_rejections FROM STDIN (FORMAT binary)") { writer in
            for message in messages {
                guard case .rejections(let content) = message.content, let app = apps[content.appID],
                    content.receivedAtMs >= oldestMs
                else { continue }
                for (index, item) in content.items.enumerated() {
                    writer.startRow(columns: 10)
                    writer.int32(app)
                    writer.timestamp(msSinceEpoch: content.receivedAtMs)
                    writer.text(item.code)
                    for text in [item.field, item.appVersion, item.platform?.rawValue] {
                        if let text { writer.text(text) } else { writer.null() }
                    }
                    if let id = item.insertID {
                        writer.uuid(high: id.high, low: id.low)
                    } else {
                        writer.null()
                    }
                    writer.int32(message.partition)
                    writer.int64(message.offset)
                    writer.int32(Int32(truncatingIfNeeded: index))
                }
            }
        }
    }
}

private enum RejectionStatements {
    /// A table of the connection, emptied at each commit.
    static let staging = """
        CREATE TEMP TABLE IF NOT EXISTS staged_rejections (
            app_no integer, received_at timestamptz, code text, field text, app_version text, platform text,
            insert_id uuid, partition integer, message_offset bigint, item_index integer
        ) ON COMMIT DELETE ROWS
        """

    static let insert: SQL = """
        INSERT INTO rejections (app_no, received_at, code, field, app_version, platform, insert_id, partition,
                                message_offset, item_index)
        SELECT app_no, received_at, code, field, app_version, platform, insert_id, partition, message_offset,
               item_index
        FROM staged_rejections ORDER BY partition, message_offset, item_index
        ON CONFLICT DO NOTHING
        """
}
