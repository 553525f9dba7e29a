public import Contracts
public import JSON

/// The bytes of an `EventMessage` on the events topic.
///
/// Version 1, times in milliseconds since 1970, absent values left out:
/// ```
/// {"v":1,"app_id":…,"key_id":…,"install_id":…,"received_at":…,
///  "contexts":[{"environment":…,"platform":…,"os_name":…,…}],
///  "events":[{"insert_id":…,"name":…,"event_time":…,"client_time":…,"session_id":…,
///             "user_id":…,"duration_ms":…,"context":0,"warnings":[…]}]}
/// ```
/// A reader ignores members it does not know, so fields may be added within a version.
public enum EventMessageCodec {
    /// The `contexts` of a message, encoded once for all messages of a batch that carry the same.
    public struct Contexts: Sendable {
        fileprivate let json: [UInt8]

        public init(_ contexts: [EventContext]) {
            var writer = JSONWriter(reservingBytes: 16 + 280 * contexts.count)
            writer.beginArray()
            for context in contexts { encode(context, into: &writer) }
            writer.endArray()
            json = writer.bytes
        }
    }

    public static func encode(_ message: EventMessage) -> [UInt8] {
        encode(message, contexts: Contexts(message.contexts))
    }

    /// - Parameter contexts: those of `message`.
    public static func encode(_ message: EventMessage, contexts: Contexts) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 240 + contexts.json.count + message.events.count * 280)
        encode(message, contexts: contexts, into: &writer)
        return writer.bytes
    }

    private static func encode(_ message: EventMessage, contexts: Contexts, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("v")
        writer.int(EventMessage.schemaVersion)
        writer.key("app_id")
        writer.uuid(message.appID)
        writer.key("key_id")
        writer.uuid(message.keyID)
        writer.key("install_id")
        writer.uuid(message.installID)
        writer.key("received_at")
        writer.int64(message.receivedAtMs)
        writer.key("contexts")
        writer.raw(contexts.json)
        writer.key("events")
        writer.beginArray()
        for event in message.events { encode(event, into: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func encode(_ context: EventContext, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("environment")
        writer.string(context.environment.rawValue)
        writer.key("platform")
        writer.string(context.platform.rawValue)
        writer.member("os_name", context.osName)
        writer.member("os_version", context.osVersion)
        writer.member("app_version", context.appVersion)
        writer.member("app_build", context.appBuild)
        writer.member("device_model", context.deviceModel)
        writer.member("device_type", context.deviceType?.rawValue)
        writer.member("locale", context.locale)
        writer.member("country", context.country)
        writer.member("city", context.city)
        writer.endObject()
    }

    private static func encode(_ event: EventMessage.Event, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("insert_id")
        writer.uuid(event.insertID)
        writer.key("name")
        writer.string(event.name.rawValue)
        writer.key("event_time")
        writer.int64(event.eventTimeMs)
        writer.key("client_time")
        writer.int64(event.clientTimeMs)
        writer.key("session_id")
        writer.uuid(event.sessionID)
        writer.member("user_id", event.userID)
        if let durationMs = event.durationMs {
            writer.key("duration_ms")
            writer.int64(durationMs)
        }
        writer.key("context")
        writer.int(event.context)
        if !event.warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in event.warnings { writer.string(warning.rawValue) }
            writer.endArray()
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes the lower-case text form without making a string.
    public mutating func uuid(_ value: UUID128) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUID128.textBytes) { buffer in
            var count = 0
            value.forEachTextByte { byte in
                buffer.initializeElement(at: count, to: byte)
                count += 1
            }
            string(utf8: UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes a member, or nothing when there is no value.
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }
}
