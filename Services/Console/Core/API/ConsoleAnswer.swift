import Calendar
import Contracts
import ControlPlane
import JSON
import Wire

/// What an operation of the control plane answers.
struct ConsoleAnswer: Sendable {
    var status = 200
    var body: [UInt8] = []
    var headers: [(name: String, value: String)] = []

    /// An object whose members `write` adds.
    static func object(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> ConsoleAnswer {
        var writer = JSONWriter(reservingBytes: 512)
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return ConsoleAnswer(status: status, body: writer.bytes)
    }

    /// `{"items": […]}`.
    static func items<Item>(_ items: [Item], _ write: (Item, inout JSONWriter) -> Void) -> ConsoleAnswer {
        object { writer in
            writer.key("items")
            writer.beginArray()
            for item in items {
                writer.beginObject()
                write(item, &writer)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    static let nothing = ConsoleAnswer(status: 204)
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: UUID128?) {
        key(name)
        if let value { uuid(value) } else { null() }
    }

    mutating func member(_ name: String, timeMs: Int64?) {
        key(name)
        if let timeMs { string(RFC3339.format(ms: timeMs)) } else { null() }
    }

    mutating func member(_ name: String, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    mutating func write(_ app: AppSummary) {
        member("id", app.id)
        member("name", app.name)
        member("platforms", app.platforms)
        member("timezone", app.timezone)
        member("status", app.status)
        member("created_at", timeMs: app.createdAtMs)
    }

    mutating func write(_ key: WriteKey) {
        member("id", key.id)
        member("platform", key.platform?.rawValue)
        member("key", key.key)
        member("created_at", timeMs: key.createdAtMs)
        // Nothing records which key a batch came with.
        member("last_used_at", timeMs: nil)
        member("revoked_at", timeMs: key.revokedAtMs)
    }

    mutating func write(_ key: SecretKey) {
        member("id", key.id)
        member("prefix", key.prefix)
        member("scopes", key.scopes)
        member("app_id", key.appID)
        member("created_at", timeMs: key.createdAtMs)
        member("revoked_at", timeMs: key.revokedAtMs)
    }

    mutating func write(_ account: Account) {
        member("id", account.id)
        member("email", account.email)
        member("created_at", timeMs: account.createdAtMs)
        member("signed_in_at", timeMs: account.signedInAtMs)
    }
}
