import Postgres

/// Lets one instance at a time expire data or change whole apps, and never both at once.
///
/// A merge moves events from day to day while an expiry freezes days; each alone is exact, both together would count some events twice.
enum HousekeepingLock {
    private static let name = "foreground housekeeping"

    /// Runs `body` while holding the lock; nil when somebody else has it.
    static func run<Value: Sendable>(
        _ connection: PostgresConnection,
        _ body: () async throws -> Value
    ) async throws -> Value? {
        let isOurs = try await connection.first(
            "SELECT pg_try_advisory_lock(hashtext(\(name))) LIMIT 1"
        ) { try $0.bool(0) }
        guard isOurs == true else { return nil }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // A lost connection has given the lock back by itself.
        _ = try? await connection.first("SELECT pg_advisory_unlock(hashtext(\(name))) LIMIT 1") {
            try $0.bool(0)
        }
        return try result.get()
    }
}
