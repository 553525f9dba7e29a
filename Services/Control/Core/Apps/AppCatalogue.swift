import Calendar
import Contracts
import Crypto
import Postgres
import Schema

/// A write key as it is shown.
struct WriteKeyRecord: Sendable {
    let id: UUID128
    let platform: Platform?
    let key: String
    var isRevoked = false
}

/// An app with the facts its owner set.
struct AppSummary: Sendable {
    let id: UUID128
    let name: String
    let timezone: String
    let platforms: [String]
    let status: String
}

/// Makes and lists apps and keys; every change goes through here.
enum AppCatalogue {
    static func create(
        name: String,
        platforms: [Platform],
        timezone: String,
        _ connection: PostgresConnection
    ) async throws -> (AppSummary, [WriteKeyRecord]) {
        let id = KeyMaker.identifier()
        let keys = (platforms.map(Optional.some) + [nil]).map {
            WriteKeyRecord(id: KeyMaker.identifier(), platform: $0, key: KeyMaker.writeKey())
        }
        let names = platforms.map(\.rawValue)
        try await connection.transaction { connection in
            try connection.execute(
                """
                INSERT INTO apps (app_id, name, timezone, platforms)
                VALUES (\(id)::uuid, \(name), \(timezone), \(names)::text[])
                """
            )
            for key in keys { try insert(key, app: id, connection) }
        }
        let app = AppSummary(
            id: id,
            name: name,
            timezone: timezone,
            platforms: names,
            status: AppStatus.active.rawValue
        )
        return (app, keys)
    }

    private static func insert(
        _ key: WriteKeyRecord,
        app: UUID128,
        _ connection: isolated PostgresConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO write_keys (key_id, app_id, platform, key)
            VALUES (\(key.id)::uuid, \(app)::uuid, \(key.platform?.rawValue), \(key.key))
            """
        )
    }

    static func list(_ connection: PostgresConnection) async throws -> [AppSummary] {
        try await connection.rows(
            """
            SELECT app_id, name, timezone, array_to_string(platforms, ','), status FROM apps
            ORDER BY created_at, app_id LIMIT 100000
            """
        ) { try AppSummary($0) }
    }

    static func find(_ id: UUID128, _ connection: PostgresConnection) async throws -> AppSummary {
        let app = try await connection.first(
            """
            SELECT app_id, name, timezone, array_to_string(platforms, ','), status FROM apps
            WHERE app_id = \(id)::uuid AND status IN ('active', 'archived') LIMIT 1
            """
        ) { try AppSummary($0) }
        guard let app else { throw CommandFailure("there is no app \(id)") }
        return app
    }

    static func issueKey(
        app: UUID128,
        platform: Platform?,
        _ connection: PostgresConnection
    ) async throws -> WriteKeyRecord {
        _ = try await find(app, connection)
        let key = WriteKeyRecord(id: KeyMaker.identifier(), platform: platform, key: KeyMaker.writeKey())
        try await connection.perform { try insert(key, app: app, $0) }
        return key
    }

    static func revokeKey(_ key: String, _ connection: PostgresConnection) async throws {
        let changed = try await connection.execute(
            "UPDATE write_keys SET revoked_at = now() WHERE key = \(key) AND revoked_at IS NULL"
        )
        guard changed == 1 else { throw CommandFailure("there is no such key, or it is revoked already") }
    }

    static func keys(of app: UUID128, _ connection: PostgresConnection) async throws -> [WriteKeyRecord] {
        try await connection.rows(
            """
            SELECT key_id, platform, key, revoked_at IS NOT NULL FROM write_keys
            WHERE app_id = \(app)::uuid ORDER BY created_at, key_id LIMIT 10000
            """
        ) { row in
            WriteKeyRecord(
                id: try row.uuid128(0),
                platform: try row.optionalString(1).flatMap(Platform.init(rawValue:)),
                key: try row.string(2),
                isRevoked: try row.bool(3)
            )
        }
    }
}

extension AppSummary {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        name = try row.string(1)
        timezone = try row.string(2)
        platforms = try row.string(3).split(separator: ",").map(String.init)
        status = try row.string(4)
    }
}
