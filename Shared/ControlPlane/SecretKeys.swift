public import Contracts
import Crypto
public import Postgres
import Schema

/// A secret key of the Read API as it can be shown again: by its beginning.
public struct SecretKey: Sendable, Equatable {
    public var id: UUID128
    public var prefix: String
    public var scopes: [String]
    /// Nil for a key that sees every app.
    public var appID: UUID128?
    public var createdAtMs: Int64
    public var revokedAtMs: Int64?

    public var isRevoked: Bool { revokedAtMs != nil }
}

/// Issues, lists and revokes secret keys; only a hash of one is ever stored.
public enum SecretKeys {
    private static let columns: SQL =
        "key_id, prefix, array_to_string(scopes, ','), app_id, created_at, revoked_at"

    /// Returns the key itself, which cannot be had again.
    ///
    /// - Throws: `ControlProblem`, `PostgresError`.
    public static func issue(
        scopes: Set<APIKeyScope>,
        app: UUID128?,
        _ connection: isolated PostgresConnection
    ) throws -> (key: String, SecretKey) {
        guard !scopes.isEmpty else { throw ControlProblem.invalid(field: "scopes", "at least one is needed") }
        if let app { _ = try AppCatalogue.find(app, connection) }
        let key = KeyMaker.secretKey()
        let names = scopes.map(\.rawValue).sorted()
        let record = try connection.first(
            """
            INSERT INTO api_keys (key_id, key_hash, prefix, scopes, app_id)
            VALUES (\(KeyMaker.identifier())::uuid, \(SHA256.hash(Array(key.utf8)))::bytea,
                    \(KeyMaker.shownPrefix(of: key)), \(names)::text[], \(app)::uuid)
            RETURNING \(columns)
            """
        ) { try SecretKey($0) }
        guard let record else { throw ControlProblem.keyNotFound }
        return (key, record)
    }

    public static func list(_ connection: isolated PostgresConnection) throws -> [SecretKey] {
        try connection.rows("SELECT \(columns) FROM api_keys ORDER BY created_at, key_id LIMIT 10000") {
            try SecretKey($0)
        }
    }

    /// Returns what it was.
    ///
    /// - Throws: `ControlProblem.keyNotFound` unless it was in use.
    public static func revoke(_ id: UUID128, _ connection: isolated PostgresConnection) throws -> SecretKey {
        let key = try connection.first(
            """
            UPDATE api_keys SET revoked_at = now() WHERE key_id = \(id)::uuid AND revoked_at IS NULL
            RETURNING \(columns)
            """
        ) { try SecretKey($0) }
        guard let key else { throw ControlProblem.keyNotFound }
        return key
    }

    /// Revokes the keys that begin so; the beginning is what lists show.
    public static func revoke(prefix: String, _ connection: isolated PostgresConnection) throws {
        let count = try connection.execute(
            "UPDATE api_keys SET revoked_at = now() WHERE prefix = \(prefix) AND revoked_at IS NULL"
        )
        guard count > 0 else { throw ControlProblem.keyNotFound }
    }
}

extension SecretKey {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        prefix = try row.string(1)
        scopes = try row.string(2).split(separator: ",").map(String.init)
        appID = try row.optionalUUID(3).map { UUID128(high: $0.high, low: $0.low) }
        createdAtMs = try row.timestampMs(4)
        revokedAtMs = try row.optionalTimestampMs(5)
    }
}
