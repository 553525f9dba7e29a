import Calendar
import Contracts
import ControlPlane
import JSON
import Postgres
import Wire

/// The commands `fgctl app create` and `fgctl app list`.
enum AppCommands {
    static let nameScalarsMax = 200

    static let create = CommandSpec(
        words: ["app", "create"],
        summary: "Create an app with a write key for each platform and one for any",
        options: [
            .value("name", "NAME", required: true, "what people call it"),
            .value(
                "platform",
                "PLATFORM",
                required: true,
                repeats: true,
                "one of \(Arguments.platformNames); repeat for several"
            ),
            .value(
                "timezone",
                "ZONE",
                required: true,
                "zone that sets the day boundaries, such as Europe/Berlin"
            ),
        ]
    ) { arguments, context in
        let name = arguments.first("name") ?? ""
        guard (1...nameScalarsMax).contains(name.unicodeScalars.count) else {
            throw CommandFailure.usage("--name must have 1 to \(nameScalarsMax) characters")
        }
        let platforms = try arguments.all("platform").map { text throws(CommandFailure) in
            try Arguments.platform(text)
        }
        guard Set(platforms).count == platforms.count else {
            throw CommandFailure.usage("--platform names a platform twice")
        }
        let timezone = arguments.first("timezone") ?? ""
        guard (try? LocalZone(named: timezone)) != nil else {
            throw CommandFailure.usage(
                "--timezone '\(timezone)' is not a zone of this machine's tzdata, such as Europe/Berlin"
            )
        }
        let connection = try await context.connect()
        let (app, keys) = try await connection.transaction { connection in
            try AppCatalogue.create(name: name, platforms: platforms, timezone: timezone, connection)
        }
        await connection.close()
        return created(app, keys)
    }

    static let list = CommandSpec(words: ["app", "list"], summary: "List the apps") { _, context in
        let connection = try await context.connect()
        let apps = try await connection.perform { try AppCatalogue.list($0) }
        await connection.close()
        return listed(apps)
    }

    private static func created(_ app: AppSummary, _ keys: [WriteKey]) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        write(app, to: &writer)
        writer.key("keys")
        writer.beginArray()
        for key in keys {
            writer.beginObject()
            writer.key("platform")
            if let platform = key.platform { writer.string(platform.rawValue) } else { writer.null() }
            writer.key("key")
            writer.string(key.key)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let rows = keys.map { "  \(HelpText.padded($0.platform?.rawValue ?? "any", to: 10))\($0.key)\n" }
        let text = "app \(app.id)  \(app.name)  (\(app.timezone))\n\(rows.joined())"
        return CommandResult(text: text, json: writer.bytes)
    }

    private static func listed(_ apps: [AppSummary]) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("apps")
        writer.beginArray()
        for app in apps {
            writer.beginObject()
            write(app, to: &writer)
            writer.key("status")
            writer.string(app.status)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let rows = apps.map {
            "\($0.id)  \(HelpText.padded($0.status, to: 10))\($0.timezone)  \($0.platforms.joined(separator: ","))  \($0.name)\n"
        }
        let text = apps.isEmpty ? "no apps yet: fgctl app create --help\n" : rows.joined()
        return CommandResult(text: text, json: writer.bytes)
    }

    private static func write(_ app: AppSummary, to writer: inout JSONWriter) {
        writer.key("app_id")
        writer.uuid(app.id)
        writer.key("name")
        writer.string(app.name)
        writer.key("timezone")
        writer.string(app.timezone)
        writer.key("platforms")
        writer.beginArray()
        for platform in app.platforms { writer.string(platform) }
        writer.endArray()
    }
}

/// Values that several commands read.
enum Arguments {
    static let platformNames = Platform.allCases.map(\.rawValue).joined(separator: ", ")

    static func platform(_ text: String) throws(CommandFailure) -> Platform {
        guard let platform = Platform(rawValue: text) else {
            throw .usage("--platform '\(text)' is not one of \(platformNames)")
        }
        return platform
    }

    static func appID(_ text: String?, option: String = "app") throws(CommandFailure) -> UUID128 {
        guard let text, let id = UUID128(text) else {
            throw .usage("--\(option) must be an app id, as fgctl app list prints it")
        }
        return id
    }
}
