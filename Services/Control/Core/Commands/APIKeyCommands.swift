import Contracts
import ControlPlane
import JSON
import Postgres
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
            return scope
        }
        let app = try arguments.first("app").map { text throws(CommandFailure) in try Arguments.appID(text) }
        let connection = try await context.connect()
        let (key, record) = try await PlainRefusals.naming(app: app) {
            try await connection.transaction { connection in
                try SecretKeys.issue(scopes: Set(scopes), app: app, connection)
            }
        }
        await connection.close()
        return created(key, record)
    }

    static let list = CommandSpec(
        words: ["api-key", "list"],
        summary: "List the secret keys by their beginnings"
    ) { _, context in
        let connection = try await context.connect()
        let keys = try await connection.perform { try SecretKeys.list($0) }
        await connection.close()
        return listed(keys)
    }

    static let revoke = CommandSpec(
        words: ["api-key", "revoke"],
        summary: "Revoke a secret key at once",
        positionals: ["PREFIX"]
    ) { arguments, context in
        let connection = try await context.connect()
        let prefix = arguments.positionals[0]
        try await PlainRefusals.naming(keyPrefix: prefix) {
            try await connection.perform { try SecretKeys.revoke(prefix: prefix, $0) }
        }
        await connection.close()
        return CommandResult(text: "revoked\n", json: Array(#"{"revoked":true}"#.utf8))
    }

    private static func created(_ key: String, _ record: SecretKey) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("key")
        writer.string(key)
        writeFacts(record, to: &writer)
        writer.endObject()
        return CommandResult(text: "\(key)\nKeep it now: it cannot be shown again.\n", json: writer.bytes)
    }

    private static func listed(_ keys: [SecretKey]) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        for key in keys {
            writer.beginObject()
            writeFacts(key, to: &writer)
            writer.key("revoked")
            writer.bool(key.isRevoked)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let rows = keys.map {
            "\($0.prefix)…  \($0.scopes.joined(separator: ","))  \($0.appID?.description ?? "all apps")"
                + ($0.isRevoked ? "  revoked\n" : "\n")
        }
        return CommandResult(text: rows.joined(), json: writer.bytes)
    }

    private static func writeFacts(_ key: SecretKey, to writer: inout JSONWriter) {
        writer.key("prefix")
        writer.string(key.prefix)
        writer.key("scopes")
        writer.beginArray()
        for scope in key.scopes { writer.string(scope) }
        writer.endArray()
        writer.key("app_id")
        if let app = key.appID { writer.uuid(app) } else { writer.null() }
    }
}
