import AggregatorCore
import Postgres

/// Which message: the topic and place it came from.
struct SetAsideID: Sendable, Equatable, CustomStringConvertible {
    let topic: String
    let partition: Int32
    let offset: Int64

    var description: String { "\(topic):\(partition):\(offset)" }

    init(topic: String, partition: Int32, offset: Int64) {
        (self.topic, self.partition, self.offset) = (topic, partition, offset)
    }

    /// Reads `TOPIC:PARTITION:OFFSET`, or `PARTITION:OFFSET` of the events topic.
    init(_ text: String, eventsTopic: String) throws(CommandFailure) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let partition = Int32(parts[parts.count - 2]), partition >= 0,
            let offset = Int64(parts[parts.count - 1]), offset >= 0, parts[0] != ""
        else {
            throw .usage("'\(text)' is not [TOPIC:]PARTITION:OFFSET, as fgctl set-aside list prints it")
        }
        self.init(
            topic: parts.count == 3 ? String(parts[0]) : eventsTopic,
            partition: partition,
            offset: offset
        )
    }
}

/// A message that could not be used, as it lies in the table.
struct SetAsideMessage: Sendable {
    let id: SetAsideID
    let reason: String
    let payloadBytes: Int
    let setAsideAtMs: Int64
}

/// The statements about messages that were set aside.
enum SetAsideTable {
    static func list(
        reason: String?,
        limit: Int,
        _ connection: PostgresConnection
    ) async throws -> [SetAsideMessage] {
        try await connection.rows(
            """
            SELECT topic, partition, message_offset, reason, coalesce(length(payload), 0), set_aside_at
            FROM set_aside_messages WHERE \(reason)::text IS NULL OR reason = \(reason)
            ORDER BY set_aside_at DESC, topic, partition, message_offset LIMIT \(limit)
            """
        ) { row in
            SetAsideMessage(
                id: SetAsideID(
                    topic: try row.string(0),
                    partition: try row.int32(1),
                    offset: try row.int64(2)
                ),
                reason: try row.string(3),
                payloadBytes: try row.int(4),
                setAsideAtMs: try row.timestampMs(5)
            )
        }
    }

    static func counts(_ connection: PostgresConnection) async throws -> [(reason: String, count: Int)] {
        try await connection.rows(
            "SELECT reason, count(*) FROM set_aside_messages GROUP BY reason ORDER BY reason LIMIT 1000"
        ) { (try $0.string(0), try $0.int(1)) }.map { (reason: $0.0, count: $0.1) }
    }

    /// Identifiers after another in the order of their places, so that a long table is walked in pages.
    static func page(
        after last: SetAsideID?,
        reason: String?,
        limit: Int,
        _ connection: PostgresConnection
    ) async throws -> [SetAsideID] {
        try await connection.rows(
            """
            SELECT topic, partition, message_offset FROM set_aside_messages
            WHERE (\(reason)::text IS NULL OR reason = \(reason))
              AND (topic, partition, message_offset) >
                  (\(last?.topic ?? "")::text, \(last?.partition ?? -1)::integer, \(last?.offset ?? -1)::bigint)
            ORDER BY topic, partition, message_offset LIMIT \(limit)
            """
        ) {
            SetAsideID(topic: try $0.string(0), partition: try $0.int32(1), offset: try $0.int64(2))
        }
    }

    /// Nil when there is no such message.
    static func find(
        _ id: SetAsideID,
        payloadBytesMax: Int,
        _ connection: PostgresConnection
    ) async throws -> (message: SetAsideMessage, payload: [UInt8])? {
        try await connection.first(
            """
            SELECT reason, coalesce(length(payload), 0), set_aside_at,
                   coalesce(substring(payload FROM 1 FOR \(payloadBytesMax)::integer), ''::bytea)
            FROM set_aside_messages
            WHERE topic = \(id.topic) AND partition = \(id.partition) AND message_offset = \(id.offset) LIMIT 1
            """
        ) { row in
            let message = SetAsideMessage(
                id: id,
                reason: try row.string(0),
                payloadBytes: try row.int(1),
                setAsideAtMs: try row.timestampMs(2)
            )
            return (message, try row.bytes(3))
        }
    }

    /// Returns whether it was there.
    static func delete(_ id: SetAsideID, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute(
            """
            DELETE FROM set_aside_messages
            WHERE topic = \(id.topic) AND partition = \(id.partition) AND message_offset = \(id.offset)
            """
        ) > 0
    }

    static func deleteAll(reason: String?, _ connection: PostgresConnection) async throws -> Int {
        try await connection.execute(
            "DELETE FROM set_aside_messages WHERE \(reason)::text IS NULL OR reason = \(reason)"
        )
    }
}
