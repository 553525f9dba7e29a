import Contracts
import Postgres
import Schema

/// Reads the registry from Postgres.
enum RegistryQuery {
    static let channel = "foreground_registry"
    static let version: SQL = "SELECT version FROM registry_version LIMIT 1"

    /// Revoked keys are left out: to ingest they are unknown.
    static let keys: SQL = """
        SELECT k.key, k.key_id, k.platform, a.app_id, a.status, array_to_string(a.platforms, ',')
        FROM write_keys k JOIN apps a ON a.app_id = k.app_id
        WHERE k.revoked_at IS NULL ORDER BY k.key LIMIT 10000000
        """

    /// Version and keys of one moment.
    static func load(_ connection: isolated PostgresConnection) throws -> RegistrySnapshot {
        try connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let version = try connection.first(Self.version) { try $0.int64(0) } ?? 0
            let keys = try connection.rows(Self.keys) { (try $0.string(0), try RegisteredKey($0)) }
            return RegistrySnapshot(version: version, keys: Dictionary(keys) { first, _ in first })
        }
    }
}

extension RegisteredKey {
    fileprivate init(_ row: borrowing Row) throws {
        let platforms = try row.string(5).split(separator: ",").compactMap { Platform(rawValue: String($0)) }
        self.init(
            id: try row.uuid128(1),
            platform: try row.optionalString(2).flatMap(Platform.init(rawValue:)),
            app: RegisteredApp(
                id: try row.uuid128(3),
                isArchived: try row.string(4) == AppStatus.archived.rawValue,
                platforms: platforms
            )
        )
    }
}
