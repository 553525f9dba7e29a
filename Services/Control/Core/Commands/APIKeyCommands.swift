import Contracts
import Crypto
import JSON
import Postgres
import Schema
import Wire

/// The commands `fgctl api-key create`, `list` and `revoke`: secret keys of the Read API.
enum APIKeyCommands {
    static let create = CommandSpec(
        words: ["api-key", "create"],
        summary: "Create a secret key of the Read API; it is shown once",
        options: [
            .value("scope", "SCOPE", required: true, repeats: true, "read or delete; repeat for both"),
            .value("app", "APP_ID", "bind the key to one app"),
        ]
    ) { arguments, context in
        let scopes = try arguments.all("scope").map { text throws(CommandFailure) in
            guard let scope = APIKeyScope(rawValue: text) else {
                throw .usage("--scope '\(text)' is not read or delete")
            }
            return scope.rawValue
        }
        let app = try arguments.first("app").map { text throws(CommandFailure) in try Arguments.appID(text) }
        let connection = try await context.connect()
        if let app { _ = try await AppCatalogue.find(app, connection) }
        let key = KeyMaker.secretKey()
        let unique = Array(Set(scopes)).sorted()
        try await connection.execute(
            """
            INSERT INTO api_keys (key_id, key_hash, prefix, scopes, app_id)
            VALUES (\(KeyMaker.identifier())::uuid, \(SHA256.hash(Array(key.utf8)))::bytea, \(KeyMaker.shownPrefix(of: key)),
                    \(unique)::text[], \(app)::uuid)
            """
        )
        await connection.close()
        return created(key, scopes: unique, app: app)
    }

    static let list = CommandSpec(
        words: ["api-key", "list"],
        summary: "List the secret keys by their beginnings"
    ) { _, context in
        let connection = try await context.connect()
        let keys = try await connection.rows(
            """
            SELECT prefix, array_to_string(scopes, ','), app_id, revoked_at IS NOT NULL FROM api_keys
            ORDER BY created_at, key_id LIMIT 10000
            """
        ) { row in
            Listed(
                prefix: try row.string(0),
                scopes: try row.string(1).split(separator: ",").map(String.init),
                app: try row.optionalUUID(2).map { UUID128(high: $0.high, low: $0.low) },
                isRevoked: try row.bool(3)
            )
        }
        await connection.close()
        return listed(keys)
    }

    static let revoke = CommandSpec(
        words: ["api-key", "revoke"],
        summary: "Revoke a secret key at once",
        positionals: ["PREFIX"]
    ) { arguments, context in
        let connection = try await context.connect()
        let count = try await connection.execute(
            "UPDATE api_keys SET revoked_at = now() WHERE prefix = \(arguments.positionals[0]) AND revoked_at IS NULL"
        )
        await connection.close()
        guard count > 0 else {
            throw CommandFailure("no key begins with '\(arguments.positionals[0])', or it is revoked already")
        }
        return CommandResult(text: "revoked\n", json: Array(#"{"revoked":true}"#.utf8))
    }

    private struct Listed: Sendable {
        let prefix: String
        let scopes: [String]
        let app: UUID128?
        let isRevoked: Bool
    }

    private static func created(_ key: String, scopes: [String], app: UUID128?) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("key")
        writer.string(key)
        writeFacts(prefix: KeyMaker.shownPrefix(of: key), scopes: scopes, app: app, to: &writer)
        writer.endObject()
        return CommandResult(text: "\(key)\nKeep it now: it cannot be shown again.\n", json: writer.bytes)
    }

    private static func listed(_ keys: [Listed]) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        for key in keys {
            writer.beginObject()
            writeFacts(prefix: key.prefix, scopes: key.scopes, app: key.app, to: &writer)
            writer.key("revoked")
            writer.bool(key.isRevoked)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let rows = keys.map {
            "\($0.prefix)…  \($0.scopes.joined(separator: ","))  \($0.app?.description ?? "all apps")"
                + ($0.isRevoked ? "  revoked\n" : "\n")
        }
        return CommandResult(text: rows.joined(), json: writer.bytes)
    }

    private static func writeFacts(
        prefix: String,
        scopes: [String],
        app: UUID128?,
        to writer: inout JSONWriter
    ) {
        writer.key("prefix")
        writer.string(prefix)
        writer.key("scopes")
        writer.beginArray()
        for scope in scopes { writer.string(scope) }
        writer.endArray()
        writer.key("app_id")
        if let app { writer.uuid(app) } else { writer.null() }
    }
}
