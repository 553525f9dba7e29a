public import Contracts
public import Postgres
import Schema

/// A write key as it is shown: it is public, every copy of an app carries one.
public struct WriteKey: Sendable, Equatable {
    public var id: UUID128
    /// Nil for a key of any platform.
    public var platform: Platform?
    public var key: String
    public var createdAtMs: Int64
    public var revokedAtMs: Int64?

    public var isRevoked: Bool { revokedAtMs != nil }
}

/// Issues, lists and revokes write keys.
public enum WriteKeys {
    private static let columns: SQL = "key_id, platform, key, created_at, revoked_at"

    /// - Throws: `ControlProblem.appNotFound`, `PostgresError`.
    public static func issue(
        _ platform: Platform?,
        app: UUID128,
        _ connection: isolated PostgresConnection
    ) throws -> WriteKey {
        _ = try AppCatalogue.find(app, connection)
        return try add(platform, app: app, connection)
    }

    static func add(_ platform: Platform?, app: UUID128, _ connection: isolated PostgresConnection) throws
        -> WriteKey
    {
        let key = try connection.first(
            """
            INSERT INTO write_keys (key_id, app_id, platform, key)
            VALUES (\(KeyMaker.identifier())::uuid, \(app)::uuid, \(platform?.rawValue), \(KeyMaker.writeKey()))
            RETURNING \(columns)
            """
        ) { try WriteKey($0) }
        guard let key else { throw ControlProblem.appNotFound }
        return key
    }

    public static func list(of app: UUID128, _ connection: isolated PostgresConnection) throws -> [WriteKey] {
        try connection.rows(
            "SELECT \(columns) FROM write_keys WHERE app_id = \(app)::uuid ORDER BY created_at, key_id LIMIT 10000"
        ) { try WriteKey($0) }
    }

    /// - Throws: `ControlProblem.keyNotFound` unless it was in use.
    public static func revoke(_ key: String, _ connection: isolated PostgresConnection) throws {
        let count = try connection.execute(
            "UPDATE write_keys SET revoked_at = now() WHERE key = \(key) AND revoked_at IS NULL"
        )
        guard count == 1 else { throw ControlProblem.keyNotFound }
    }

    /// Returns the key it was.
    ///
    /// - Throws: `ControlProblem.keyNotFound` unless the app had it in use.
    public static func revoke(_ id: UUID128, app: UUID128, _ connection: isolated PostgresConnection) throws
        -> WriteKey
    {
        let key = try connection.first(
            """
            UPDATE write_keys SET revoked_at = now()
            WHERE key_id = \(id)::uuid AND app_id = \(app)::uuid AND revoked_at IS NULL RETURNING \(columns)
            """
        ) { try WriteKey($0) }
        guard let key else { throw ControlProblem.keyNotFound }
        return key
    }
}

extension WriteKey {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        platform = try row.optionalString(1).flatMap(Platform.init(rawValue:))
        key = try row.string(2)
        createdAtMs = try row.timestampMs(3)
        revokedAtMs = try row.optionalTimestampMs(4)
    }
}
