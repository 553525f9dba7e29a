import Contracts
import ControlPlane
import JSON
import Postgres

/// Operations on apps and their write keys.
enum AppOperations {
    static let all: [ConsoleOperation] = [
        ConsoleOperation("GET", "apps") { _, connection in
            .items(try AppCatalogue.list(connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "apps", create),
        ConsoleOperation("GET", "apps/*") { call, connection in
            let app = try AppCatalogue.find(try call.id(1), connection)
            let keys = try WriteKeys.list(of: app.id, connection)
            return .object { writer in
                writer.write(app)
                writer.writeKeys(keys)
            }
        },
        ConsoleOperation("PATCH", "apps/*", change),
        ConsoleOperation("POST", "apps/*/archive") { call, connection in
            try setArchived(true, call, connection)
        },
        ConsoleOperation("POST", "apps/*/restore") { call, connection in
            try setArchived(false, call, connection)
        },
        ConsoleOperation("GET", "apps/*/write-keys") { call, connection in
            let app = try AppCatalogue.find(try call.id(1), connection)
            return .items(try WriteKeys.list(of: app.id, connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "apps/*/write-keys", issueKey),
        ConsoleOperation("DELETE", "apps/*/write-keys/*") { call, connection in
            let app = try AppCatalogue.find(try call.id(1), connection)
            guard let key = UUID128(call.path[3]) else { throw ControlProblem.keyNotFound }
            try WriteKeys.revoke(key, app: app.id, connection)
            try AuditLog.add(.writeKeyRevoked, by: call.email, app: (app.id, app.name), connection)
            return .nothing
        },
    ]

    private static func create(_ call: ConsoleCall, _ connection: isolated PostgresConnection) throws
        -> ConsoleAnswer
    {
        var fields = call.fields
        let name = try AppRules.name(try fields.text("name"))
        let platforms = try AppRules.platforms(try fields.list("platforms") ?? [])
        let timezone = try AppRules.timezone(try fields.text("timezone"))
        try fields.finish()
        let (app, keys) = try AppCatalogue.create(
            name: name,
            platforms: platforms,
            timezone: timezone,
            connection
        )
        try AuditLog.add(
            .appCreated,
            by: call.email,
            app: (app.id, app.name),
            details: "\(app.platforms.joined(separator: ", ")); \(timezone)",
            connection
        )
        return .object(201) { writer in
            writer.write(app)
            writer.writeKeys(keys)
        }
    }

    private static func change(_ call: ConsoleCall, _ connection: isolated PostgresConnection) throws
        -> ConsoleAnswer
    {
        var fields = call.fields
        let name = try fields.optionalText("name")
        let platforms = try fields.list("add_platforms")
        try fields.finish()
        var app = try AppCatalogue.find(try call.id(1), connection)
        if let name {
            let name = try AppRules.name(name)
            try AppCatalogue.rename(app.id, to: name, connection)
            try AuditLog.add(
                .appRenamed,
                by: call.email,
                app: (app.id, name),
                details: "was \(app.name)",
                connection
            )
        }
        if let platforms {
            let platforms = try AppRules.platforms(platforms)
            let keys = try AppCatalogue.addPlatforms(platforms, to: app.id, connection)
            if !keys.isEmpty {
                let added = keys.compactMap(\.platform?.rawValue).joined(separator: ", ")
                try AuditLog.add(
                    .platformsAdded,
                    by: call.email,
                    app: (app.id, app.name),
                    details: added,
                    connection
                )
            }
        }
        app = try AppCatalogue.find(app.id, connection)
        let keys = try WriteKeys.list(of: app.id, connection)
        return .object { writer in
            writer.write(app)
            writer.writeKeys(keys)
        }
    }

    private static func setArchived(
        _ isArchived: Bool,
        _ call: ConsoleCall,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        let id = try call.id(1)
        if isArchived {
            try AppCatalogue.archive(id, connection)
        } else {
            try AppCatalogue.restore(id, connection)
        }
        let app = try AppCatalogue.find(id, connection)
        try AuditLog.add(
            isArchived ? .appArchived : .appRestored,
            by: call.email,
            app: (app.id, app.name),
            connection
        )
        return .object { $0.write(app) }
    }

    private static func issueKey(_ call: ConsoleCall, _ connection: isolated PostgresConnection) throws
        -> ConsoleAnswer
    {
        var fields = call.fields
        let name = try fields.optionalText("platform")
        try fields.finish()
        let platform = try name.map { try AppRules.platforms([$0])[0] }
        let app = try AppCatalogue.find(try call.id(1), connection)
        let key = try WriteKeys.issue(platform, app: app.id, connection)
        try AuditLog.add(
            .writeKeyIssued,
            by: call.email,
            app: (app.id, app.name),
            details: platform?.rawValue ?? "any platform",
            connection
        )
        return .object(201) { $0.write(key) }
    }
}

extension JSONWriter {
    mutating func writeKeys(_ keys: [WriteKey]) {
        key("keys")
        beginArray()
        for item in keys {
            beginObject()
            write(item)
            endObject()
        }
        endArray()
    }
}
