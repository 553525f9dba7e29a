import Calendar
import Contracts
import JSON
import Wire

/// `GET /v1/apps` and `GET /v1/apps/{app_id}`.
enum AppsAPI {
    static func list(_ apps: [AppRecord]) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 300 * apps.count + 32)
        writer.beginObject()
        writer.key("items")
        writer.beginArray()
        for app in apps { write(app, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    static func one(_ app: AppRecord) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 300)
        write(app, to: &writer)
        return writer.bytes
    }

    static func write(_ app: AppRecord, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.uuid(app.id)
        writer.key("name")
        writer.string(app.name)
        // Deprecated: from before an app could have several.
        writer.key("platform")
        if let first = app.platforms.first { writer.string(first) } else { writer.null() }
        writer.key("platforms")
        writer.beginArray()
        for platform in app.platforms { writer.string(platform) }
        writer.endArray()
        writer.key("timezone")
        writer.string(app.timezone)
        writer.key("status")
        writer.string(app.status.rawValue)
        writer.key("created_at")
        writer.string(RFC3339.format(ms: app.createdAtMs))
        writer.key("archived_at")
        if let ms = app.archivedAtMs { writer.string(RFC3339.format(ms: ms)) } else { writer.null() }
        writer.endObject()
    }
}
