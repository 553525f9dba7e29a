public import Postgres

/// Lets an erasure, a merge or a zone change begin at a moment between batches.
///
/// Every store transaction holds the lock shared; whoever must be sure that no running batch has overlooked a new rule takes it alone,
/// writes the rule and commits. Batches that begin afterwards see it. Both kinds of holder keep it until their transaction ends.
public enum StoreBarrier {
    private static let lockName = "foreground store"

    /// Takes the lock for a batch and returns the epoch: copies of rows made in another epoch are void.
    public static func enter(_ connection: isolated PostgresConnection) throws -> Int64 {
        _ = try connection.rows("SELECT pg_advisory_xact_lock_shared(hashtext(\(lockName)))") { _ in }
        return try connection.first("SELECT epoch FROM store_epoch LIMIT 1") { try $0.int64(0) } ?? 0
    }

    /// Waits for the batches that run, keeps new ones out until the transaction ends, and voids what stores remember.
    public static func close(_ connection: isolated PostgresConnection) throws {
        _ = try connection.rows("SELECT pg_advisory_xact_lock(hashtext(\(lockName)))") { _ in }
        _ = try connection.execute("UPDATE store_epoch SET epoch = epoch + 1")
    }
}
