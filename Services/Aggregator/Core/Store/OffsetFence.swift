import Postgres

/// Moves the stored offsets in the transaction of the rows they stand for.
struct OffsetFence: Sendable {
    let topic: String
    /// Ordered by partition, so that two instances lock in one order.
    let progress: [PartitionProgress]

    init(topic: String, progress: [PartitionProgress]) {
        self.topic = topic
        self.progress = progress.sorted { $0.partition < $1.partition }
    }

    /// Locks the partitions' rows and checks that nobody else has moved them.
    ///
    /// - Throws: `Fenced`, `PostgresError`.
    func lock(_ connection: isolated PostgresConnection) throws {
        guard !progress.isEmpty else { return }
        let (partitions, expected) = (progress.map(\.partition), progress.map(\.expected))
        _ = try connection.execute(
            """
            INSERT INTO consumer_offsets (topic, partition, next_offset)
            SELECT \(topic), p.partition, p.expected
            FROM unnest(\(partitions)::integer[], \(expected)::bigint[]) AS p(partition, expected)
            ORDER BY p.partition ON CONFLICT DO NOTHING
            """
        )
        let stored = try connection.rows(
            """
            SELECT next_offset FROM consumer_offsets
            WHERE topic = \(topic) AND partition = ANY (\(partitions)::integer[]) ORDER BY partition FOR UPDATE
            """
        ) { try $0.int64(0) }
        guard stored == expected else { throw Fenced() }
    }

    func move(_ connection: isolated PostgresConnection) throws {
        guard !progress.isEmpty else { return }
        _ = try connection.execute(
            """
            UPDATE consumer_offsets c SET next_offset = p.next, updated_at = now()
            FROM unnest(\(progress.map(\.partition))::integer[], \(progress.map(\.next))::bigint[]) AS p(partition, next)
            WHERE c.topic = \(topic) AND c.partition = p.partition
            """
        )
    }
}
