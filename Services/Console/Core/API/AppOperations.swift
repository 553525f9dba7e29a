import Contracts
import ControlPlane
import JSON
import Postgres

/// Operations on apps and their write keys.
enum AppOperations {
    static let all: [ConsoleOperation] = [
        ConsoleOperation("GET", "apps") { _, _, connection in
            .items(try AppCatalogue.present(connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "apps", create),
        ConsoleOperation("GET", "apps/{app_id}") { call, _, connection in
            try withKeys(try AppCatalogue.find(try call.appID(), connection), connection)
        },
        ConsoleOperation("PATCH", "apps/{app_id}", change),
        ConsoleOperation("POST", "apps/{app_id}/archive") { call, account, connection in
            try setArchived(true, call, account, connection)
        },
        ConsoleOperation("POST", "apps/{app_id}/restore") { call, account, connection in
            try setArchived(false, call, account, connection)
        },
        ConsoleOperation("GET", "apps/{app_id}/write-keys") { call, _, connection in
            let app = try AppCatalogue.find(try call.appID(), connection)
            return .items(try WriteKeys.list(of: app.id, connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "apps/{app_id}/write-keys", issueKey),
        ConsoleOperation("DELETE", "apps/{app_id}/write-keys/{key_id}") { call, account, connection in
            try call.fields.finish()
            let app = try AppCatalogue.find(try call.appID(), connection)
            let key = try WriteKeys.revoke(try call.id("key_id"), app: app.id, connection)
            try AuditLog.add(
                .writeKeyRevoked,
                by: account.email,
                app: app,
                details: key.platform?.rawValue ?? "any platform",
                connection
            )
            return .nothing
        },
    ]

    private static func create(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
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
            by: account.email,
            app: app,
            details: "\(app.platforms.joined(separator: ", ")); \(timezone)",
            connection
        )
        return .object(201) { writer in
            writer.write(app)
            writer.writeKeys(keys)
        }
    }

    private static func change(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let name = try fields.optionalText("name")
        let platforms = try fields.list("add_platforms")
        try fields.finish()
        var app = try AppCatalogue.find(try call.appID(), connection)
        if let name {
            let before = app.name
            app.name = try AppRules.name(name)
            try AppCatalogue.rename(app.id, to: app.name, connection)
            if app.name != before {
                try AuditLog.add(
                    .appRenamed,
                    by: account.email,
                    app: app,
                    details: "was \(before)",
                    connection
                )
            }
        }
        if let platforms {
            let platforms = try AppRules.platforms(platforms)
            let keys = try AppCatalogue.addPlatforms(platforms, to: app.id, connection)
            if !keys.isEmpty {
                let added = keys.compactMap(\.platform?.rawValue).joined(separator: ", ")
                try AuditLog.add(
                    .platformsAdded,
                    by: account.email,
                    app: app,
                    details: added,
                    connection
                )
            }
        }
        return try withKeys(try AppCatalogue.find(app.id, connection), connection)
    }

    private static func withKeys(_ app: AppSummary, _ connection: isolated PostgresConnection) throws
        -> ConsoleAnswer
    {
        let keys = try WriteKeys.list(of: app.id, connection)
        return .object { writer in
            writer.write(app)
            writer.writeKeys(keys)
        }
    }

    private static func setArchived(
        _ isArchived: Bool,
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        try call.fields.finish()
        let id = try call.appID()
        let before = try AppCatalogue.find(id, connection).status
        if isArchived {
            try AppCatalogue.archive(id, connection)
        } else {
            try AppCatalogue.restore(id, connection)
        }
        let app = try AppCatalogue.find(id, connection)
        guard app.status != before else { return .object { $0.write(app) } }
        try AuditLog.add(
            isArchived ? .appArchived : .appRestored,
            by: account.email,
            app: app,
            connection
        )
        return .object { $0.write(app) }
    }

    private static func issueKey(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let name = try fields.optionalText("platform")
        try fields.finish()
        let app = try AppCatalogue.find(try call.appID(), connection)
        let platform = try name.map { try Self.platform($0, of: app) }
        let key = try WriteKeys.issue(platform, app: app.id, connection)
        try AuditLog.add(
            .writeKeyIssued,
            by: account.email,
            app: app,
            details: platform?.rawValue ?? "any platform",
            connection
        )
        return .object(201) { $0.write(key) }
    }

    /// A key of a platform the app does not have would have every event refused.
    private static func platform(_ name: String, of app: AppSummary) throws(ConsoleRefusal) -> Platform {
        guard let platform = Platform(rawValue: name), app.platforms.contains(name) else {
            let known = app.platforms.joined(separator: ", ")
            throw ConsoleRefusal(
                .invalidRequest,
                field: "platform",
                reason: "must be one of \(known), or null"
            )
        }
        return platform
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
