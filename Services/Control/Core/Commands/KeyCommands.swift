import Contracts
import ControlPlane
import JSON
import Postgres
import Wire

/// The commands `fgctl key issue`, `revoke` and `list`: write keys.
enum KeyCommands {
    static let issue = CommandSpec(
        words: ["key", "issue"],
        summary: "Issue a write key; ingest knows it within 15 seconds",
        options: [
            .value("app", "APP_ID", required: true, "the app"),
            .value(
                "platform",
                "PLATFORM",
                "one of \(Arguments.platformNames); without it the key is for any platform"
            ),
        ]
    ) { arguments, context in
        let app = try Arguments.appID(arguments.first("app"))
        let platform = try arguments.first("platform").map { text throws(CommandFailure) in
            try Arguments.platform(text)
        }
        let connection = try await context.connect()
        let key = try await PlainRefusals.naming(app: app) {
            try await connection.perform { try WriteKeys.issue(platform, app: app, $0) }
        }
        await connection.close()
        var writer = JSONWriter()
        write(key, to: &writer)
        return CommandResult(text: "\(key.key)\n", json: writer.bytes)
    }

    static let revoke = CommandSpec(
        words: ["key", "revoke"],
        summary: "Revoke a write key; ingest refuses it within 15 seconds",
        positionals: ["KEY"]
    ) { arguments, context in
        let connection = try await context.connect()
        let key = arguments.positionals[0]
        try await connection.perform { try WriteKeys.revoke(key, $0) }
        await connection.close()
        return CommandResult(text: "revoked\n", json: Array(#"{"revoked":true}"#.utf8))
    }

    static let list = CommandSpec(
        words: ["key", "list"],
        summary: "List the write keys of an app",
        options: [.value("app", "APP_ID", required: true, "the app")]
    ) { arguments, context in
        let app = try Arguments.appID(arguments.first("app"))
        let connection = try await context.connect()
        let keys = try await PlainRefusals.naming(app: app) {
            try await connection.perform { connection in
                _ = try AppCatalogue.find(app, connection)
                return try WriteKeys.list(of: app, connection)
            }
        }
        await connection.close()
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("keys")
        writer.beginArray()
        for key in keys { write(key, to: &writer) }
        writer.endArray()
        writer.endObject()
        let rows = keys.map {
            HelpText.padded($0.platform?.rawValue ?? "any", to: 10) + $0.key
                + ($0.isRevoked ? "  revoked" : "") + "\n"
        }
        return CommandResult(text: rows.joined(), json: writer.bytes)
    }

    private static func write(_ key: WriteKey, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("platform")
        if let platform = key.platform { writer.string(platform.rawValue) } else { writer.null() }
        writer.key("key")
        writer.string(key.key)
        writer.key("revoked")
        writer.bool(key.isRevoked)
        writer.endObject()
    }
}
