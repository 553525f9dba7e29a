import Contracts
import JSON

/// The members of a batch around its events, checked.
///
/// Valid only while the document it points into is.
struct BatchHead {
    let appKey: String?
    let sentAtMs: Int64
    let context: PartialContext
    let events: JSONValue
    let eventCount: Int

    /// - Throws: `invalid_batch`, naming the field.
    init(_ root: JSONValue) throws(BatchRefusal) {
        guard root.isObject else { throw BatchRefusal(.invalidBatch, issue: .notAnObject) }
        var fields = Fields()
        for (key, value) in root.members { try fields.take(key, value) }
        appKey = try Self.appKey(fields.appKey)
        sentAtMs = try Self.sentAt(fields.sentAt)
        context = try Self.context(fields.context)
        events = try Self.events(fields.events)
        eventCount = events.count
    }

    private struct Fields {
        var appKey: JSONValue?
        var sentAt: JSONValue?
        var context: JSONValue?
        var events: JSONValue?

        /// Refuses a name that occurs twice: readers differ in which one they believe.
        mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONValue) throws(BatchRefusal) {
            if key.isEqual(to: "events") {
                try set(&events, value, "events")
            } else if key.isEqual(to: "sent_at") {
                try set(&sentAt, value, "sent_at")
            } else if key.isEqual(to: "context") {
                try set(&context, value, "context")
            } else if key.isEqual(to: "app_key") {
                try set(&appKey, value, "app_key")
            }
        }

        private func set(
            _ slot: inout JSONValue?,
            _ value: JSONValue,
            _ name: String
        ) throws(BatchRefusal) {
            guard slot == nil else { throw BatchRefusal(.invalidBatch, field: name, issue: .duplicate) }
            slot = value
        }
    }

    private static func appKey(_ value: JSONValue?) throws(BatchRefusal) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let key = value.string else {
            throw BatchRefusal(.invalidBatch, field: "app_key", issue: .invalid)
        }
        return key.isEmpty ? nil : key
    }

    private static func sentAt(_ value: JSONValue?) throws(BatchRefusal) -> Int64 {
        guard let value, !value.isNull else {
            throw BatchRefusal(.invalidBatch, field: "sent_at", issue: .missing)
        }
        guard value.isString, let ms = RFC3339Parser.milliseconds(value.utf8) else {
            throw BatchRefusal(.invalidBatch, field: "sent_at", issue: .invalid)
        }
        return ms
    }

    private static func context(_ value: JSONValue?) throws(BatchRefusal) -> PartialContext {
        guard let value, !value.isNull else { return PartialContext() }
        guard value.isObject else { throw BatchRefusal(.invalidBatch, field: "context", issue: .notAnObject) }
        return PartialContext(value)
    }

    private static func events(_ value: JSONValue?) throws(BatchRefusal) -> JSONValue {
        guard let value, !value.isNull else {
            throw BatchRefusal(.invalidBatch, field: "events", issue: .missing)
        }
        guard value.isArray else { throw BatchRefusal(.invalidBatch, field: "events", issue: .notAnArray) }
        let count = value.count
        guard count >= EventLimits.eventsMin else {
            throw BatchRefusal(.invalidBatch, field: "events", issue: .minItems)
        }
        guard count <= EventLimits.eventsMax else {
            throw BatchRefusal(.invalidBatch, field: "events", issue: .maxItems)
        }
        return value
    }
}
