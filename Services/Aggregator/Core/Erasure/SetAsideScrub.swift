import Contracts
import Postgres
import Schema

/// Empties the payloads of messages set aside that name a subject: nobody could read them, so nothing else knows whom they are about.
struct SetAsideScrub: Sendable {
    private struct Place: Sendable {
        let topic: String
        let partition: Int32
        let offset: Int64

        static let first = Place(topic: "", partition: -1, offset: -1)
    }

    let search: SubjectSearch
    let messagesMax: Int

    /// Goes through all of them; each chunk is a transaction.
    func all(_ connection: PostgresConnection, before: @Sendable () throws -> Void) async throws {
        var place: Place? = .first
        while let next = place {
            try before()
            place = try await connection.transaction { try chunk(after: next, sinceMs: nil, $0) }
        }
    }

    /// Goes through those set aside since an instant, in the caller's transaction.
    func late(sinceMs: Int64, _ connection: isolated PostgresConnection) throws {
        var place: Place? = .first
        while let next = place { place = try chunk(after: next, sinceMs: sinceMs, connection) }
    }

    /// Returns where the next chunk begins, or nil at the end.
    private func chunk(after place: Place, sinceMs: Int64?, _ connection: isolated PostgresConnection) throws
        -> Place?
    {
        var last: Place?
        var found: [Place] = []
        let since = sinceMs.map { PostgresTimestamp(ms: $0) }
        // One payload in memory at a time: each may be a megabyte.
        try connection.forEachRow(
            """
            SELECT topic, partition, message_offset, payload FROM set_aside_messages
            WHERE (topic, partition, message_offset) > (\(place.topic), \(place.partition), \(place.offset))
              AND payload IS NOT NULL AND (\(since)::timestamptz IS NULL OR set_aside_at >= \(since)::timestamptz)
            ORDER BY topic, partition, message_offset LIMIT \(messagesMax)
            """
        ) { row in
            let own = Place(topic: try row.string(0), partition: try row.int32(1), offset: try row.int64(2))
            last = own
            if try row.withBytes(3, { search.isFound(in: $0) }) { found.append(own) }
        }
        for own in found {
            try connection.execute(
                """
                UPDATE set_aside_messages SET payload = NULL
                WHERE topic = \(own.topic) AND partition = \(own.partition) AND message_offset = \(own.offset)
                """
            )
        }
        return last
    }
}
