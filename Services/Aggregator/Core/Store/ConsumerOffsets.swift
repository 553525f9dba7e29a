public import Postgres

/// How far topics are stored, as the table says.
public enum ConsumerOffsets {
    /// Next offset by partition; a partition never stored is absent.
    public static func stored(
        of topic: String,
        _ connection: isolated PostgresConnection
    ) throws -> [Int32: Int64] {
        let rows = try connection.rows(
            """
            SELECT partition, next_offset FROM consumer_offsets WHERE topic = \(topic)
            ORDER BY partition LIMIT 100000
            """
        ) { (try $0.int32(0), try $0.int64(1)) }
        return Dictionary(rows) { first, _ in first }
    }
}
