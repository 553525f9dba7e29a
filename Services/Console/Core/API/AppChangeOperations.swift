import Contracts
import ControlPlane
import JSON
import Postgres
import Schema

/// Operations that rebuild an app or end one: its zone, merging, deletion; and how far they are.
enum AppChangeOperations {
    static let all: [ConsoleOperation] = [
        ConsoleOperation("GET", "apps/{app_id}/timezone", query: ["preview"]) { call, _, connection in
            let app = try AppCatalogue.find(try call.appID(), connection)
            let state = try AppZones.state(of: app, connection)
            let preview = try preview(app, call.query["preview"], connection)
            return .object { $0.write(state, preview) }
        },
        ConsoleOperation("PUT", "apps/{app_id}/timezone", changeZone),
        ConsoleOperation("GET", "apps/{app_id}/merge-preview", query: ["source"], previewMerge),
        ConsoleOperation("POST", "apps/{app_id}/merge", merge),
        ConsoleOperation("DELETE", "apps/{app_id}", delete),
        ConsoleOperation("GET", "changes") { _, _, connection in
            .items(try AppChanges.running(connection)) { $1.write($0) }
        },
        ConsoleOperation("GET", "apps/{app_id}/day-revisions", query: ["limit", "environment"], revisions),
    ]

    private static func preview(
        _ app: AppSummary,
        _ zone: String?,
        _ connection: isolated PostgresConnection
    ) throws -> (timezone: String, days: ZonePreview)? {
        guard let zone else { return nil }
        do {
            return (zone, try AppZones.preview(app, timezone: zone, connection))
        } catch ControlProblem.invalid(field: _, let reason) {
            throw ConsoleRefusal(.invalidRequest, field: "preview", reason: reason)
        }
    }

    private static func changeZone(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let zone = try fields.text("timezone")
        try fields.finish()
        let app = try AppCatalogue.find(try call.appID(), connection)
        let before = try AppZones.state(of: app, connection)
        _ = try AppZones.change(app, to: zone, replacesOpen: false, connection)
        let after = try AppZones.state(of: app, connection)
        if after.change?.zoneVersion != before.change?.zoneVersion {
            try AuditLog.add(
                after.change == nil ? .timezoneChangeCalledOff : .timezoneChanged,
                by: account.email,
                app: app,
                details: "\(app.timezone) to \(after.change?.timezone ?? before.change?.timezone ?? zone)",
                connection
            )
        }
        return .object(202) { $0.write(after, nil) }
    }

    private static func previewMerge(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        guard let source = call.query["source"] else {
            throw ConsoleRefusal(.invalidRequest, field: "source", reason: "is missing")
        }
        let plan = try MergePlan.make(
            from: try appID(source, "source"),
            into: try call.appID(),
            connection
        )
        return .object { $0.write(plan) }
    }

    private static func merge(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let sourceID = try appID(try fields.text("source_app_id"), "source_app_id")
        let confirmation = try fields.text("confirm")
        try fields.finish()
        let target = try AppCatalogue.find(try call.appID(), connection)
        let source = try AppCatalogue.find(sourceID, connection)
        try confirm(confirmation, source)
        try AppChanges.startMerge(of: source.id, into: target.id, connection)
        try AuditLog.add(
            .appsMerged,
            by: account.email,
            app: target,
            details: "took in \(source.name)",
            connection
        )
        return try begun(source, connection)
    }

    private static func delete(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let confirmation = try fields.text("confirm")
        try fields.finish()
        let app = try AppCatalogue.find(try call.appID(), connection)
        try confirm(confirmation, app)
        try AppChanges.startDeletion(of: app.id, connection)
        try AuditLog.add(.appDeleted, by: account.email, app: app, connection)
        return try begun(app, connection)
    }

    /// - Throws: `invalid_request`, for a value that is no id at all.
    private static func appID(_ text: String, _ field: String) throws(ConsoleRefusal) -> UUID128 {
        guard let id = UUID128(text) else {
            throw ConsoleRefusal(.invalidRequest, field: field, reason: "must be an app's id")
        }
        return id
    }

    /// Scalar by scalar: names that only look alike are two.
    private static func confirm(_ text: String, _ app: AppSummary) throws(ConsoleRefusal) {
        guard text.unicodeScalars.elementsEqual(app.name.unicodeScalars) else {
            throw ConsoleRefusal(
                .invalidRequest,
                field: "confirm",
                reason: "must be the name of the app that ends, spelled exactly"
            )
        }
    }

    private static func begun(_ app: AppSummary, _ connection: isolated PostgresConnection) throws
        -> ConsoleAnswer
    {
        let change = try AppChanges.running(connection).first { $0.appID == app.id }
        return .object(202) { writer in
            writer.key("change")
            writer.beginObject()
            if let change { writer.write(change) }
            writer.endObject()
        }
    }

    static let revisionsMax: Int64 = 500
    private static let revisionsDefault: Int64 = 50

    private static func revisions(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        let limit = try call.number("limit", in: 1...revisionsMax) ?? revisionsDefault
        let name = call.query["environment"] ?? AppEnvironment.production.rawValue
        guard let environment = AppEnvironment(rawValue: name) else {
            let known = AppEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConsoleRefusal(.invalidRequest, field: "environment", reason: "must be one of \(known)")
        }
        let app = try AppCatalogue.find(try call.appID(), connection)
        return .items(try DayRevisions.newest(of: app, environment, limit: Int(limit), connection)) {
            $1.write($0)
        }
    }
}
