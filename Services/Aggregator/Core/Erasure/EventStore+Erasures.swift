public import Postgres
public import ServiceKit

extension EventStore {
    /// A store that keeps erased people out: what every part that stores events of a topic works with.
    ///
    /// - Throws: `ForeignErasureKey` when the ledger was made with another key; `PostgresError`.
    public static func withLedger(
        _ connection: PostgresConnection,
        topic: String,
        limits: StoreLimits = StoreLimits(),
        hashKey: Secret
    ) async throws -> EventStore {
        let hasher = SubjectHasher(key: hashKey)
        try await ErasureKey.check(hasher, connection)
        return try await EventStore(
            connection: connection,
            topic: topic,
            limits: limits,
            suppression: SuppressionFilter(hasher)
        )
    }
}
