public import Postgres

/// Brings a database to the newest step, each step in a transaction of its own.
///
/// A lock lets only one migrator work at a time; a second one finds nothing left to do. A step that fails leaves the database at the step before.
public enum Migrator {
    /// Runs what is missing and returns it.
    ///
    /// - Throws: `SchemaTooNew` when the database is ahead of this build; `PostgresError`.
    public static func migrate(
        _ connection: PostgresConnection,
        progress: @Sendable (Schema.Migration) -> Void = { _ in }
    ) async throws -> [Schema.Migration] {
        // Before anything else: even CREATE TABLE IF NOT EXISTS fails when two sessions run it at once.
        try await connection.script("SELECT pg_advisory_lock(hashtext('foreground migrate'))")
        let result: Result<[Schema.Migration], any Error>
        do {
            result = .success(try await applyMissing(connection, progress))
        } catch {
            result = .failure(error)
        }
        // A lost connection has given the lock back by itself.
        try? await connection.script("SELECT pg_advisory_unlock(hashtext('foreground migrate'))")
        return try result.get()
    }

    private static func applyMissing(
        _ connection: PostgresConnection,
        _ progress: @Sendable (Schema.Migration) -> Void
    ) async throws -> [Schema.Migration] {
        try await connection.script(table)
        let current = try await connection.first(Schema.currentNumber) { try $0.int(0) } ?? 0
        guard current <= Schema.latest else { throw SchemaTooNew(found: current, known: Schema.latest) }
        let missing = Schema.migrations.filter { $0.number > current }
        for migration in missing {
            progress(migration)
            try await apply(migration, connection)
        }
        return missing
    }

    private static let table = """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number integer PRIMARY KEY,
            name text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now()
        );
        GRANT SELECT ON schema_migrations TO PUBLIC;
        """

    private static func apply(_ migration: Schema.Migration, _ connection: PostgresConnection) async throws {
        try await connection.transaction { connection in
            try connection.script(migration.sql)
            try connection.execute(
                "INSERT INTO schema_migrations (number, name) VALUES (\(migration.number), \(migration.name))"
            )
        }
    }
}

/// The database was migrated by a newer version: this one must not touch it.
public struct SchemaTooNew: Error, Sendable, CustomStringConvertible {
    public let found: Int
    public let known: Int
    public var description: String {
        "the database is at step \(found), this fgctl knows steps up to \(known): use the newer fgctl"
    }
}
