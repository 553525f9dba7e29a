public import Contracts
public import JSON

/// Why the bytes of a message cannot be used; the raw value is the reason kept with a message that is set aside.
public enum EventMessageError: String, Error, Sendable, CaseIterable {
    case empty = "empty"
    case notJSON = "not_json"
    case notAnEventMessage = "not_an_event_message"
    case unknownVersion = "unknown_version"
    case invalidValue = "invalid_value"
}

/// Reads messages of every version this build knows.
///
/// Nothing passes that a table would refuse: the topic is trusted, but one wrong message must not stop its partition.
public enum EventMessageDecoder {
    static let clientTimeMs: ClosedRange<Int64> =
        -62_167_219_200_000 - 86_400_000...253_402_300_799_999 + 86_400_000
    /// More than a batch can hold.
    static let eventsMax = 10_000

    public static func decode(_ bytes: [UInt8], with parser: JSONParser) throws(EventMessageError)
        -> EventMessage
    {
        guard !bytes.isEmpty else { throw .empty }
        let result: Result<EventMessage, EventMessageError>
        do {
            result = try parser.withDocument(bytes) { root in
                Result { () throws(EventMessageError) in try message(root) }
            }
        } catch {
            throw .notJSON
        }
        return try result.get()
    }

    private static func message(_ root: JSONValue) throws(EventMessageError) -> EventMessage {
        guard root.isObject, let version = root["v"]?.int64 else { throw .notAnEventMessage }
        guard version == Int64(EventMessage.schemaVersion) else { throw .unknownVersion }
        guard let contexts = root["contexts"], contexts.isArray, let events = root["events"], events.isArray,
            let receivedAtMs = root["received_at"]?.int64
        else { throw .notAnEventMessage }
        guard EventMessage.receivedAtMsRange.contains(receivedAtMs), (1...eventsMax).contains(events.count)
        else {
            throw .invalidValue
        }
        var message = EventMessage(
            appID: try uuid(root["app_id"]),
            keyID: try uuid(root["key_id"]),
            installID: try uuid(root["install_id"]),
            receivedAtMs: receivedAtMs,
            contexts: [],
            events: []
        )
        for element in contexts.elements { message.contexts.append(try context(element)) }
        for element in events.elements {
            message.events.append(
                try event(element, receivedAtMs: receivedAtMs, contexts: message.contexts.count)
            )
        }
        return message
    }

    private static func context(_ value: JSONValue) throws(EventMessageError) -> EventContext {
        guard let environment = value["environment"]?.string.flatMap(AppEnvironment.init(rawValue:)),
            let platform = value["platform"]?.string.flatMap(Platform.init(rawValue:))
        else { throw .invalidValue }
        var context = EventContext(environment: environment, platform: platform)
        for field in ContextField.allCases {
            context[keyPath: field.keyPath] = try text(value[field.rawValue], scalarsMax: field.scalarsMax)
        }
        if let type = value["device_type"] {
            guard let known = type.string.flatMap(DeviceType.init(rawValue:)) else { throw .invalidValue }
            context.deviceType = known
        }
        context.country = try text(value["country"], scalarsMax: 2)
        context.city = try text(value["city"], scalarsMax: 256)
        return context
    }

    private static func event(
        _ value: JSONValue,
        receivedAtMs: Int64,
        contexts: Int
    ) throws(EventMessageError) -> EventMessage.Event {
        guard let name = value["name"]?.string.flatMap(EventName.init(rawValue:)),
            let eventTimeMs = value["event_time"]?.int64, let clientTimeMs = value["client_time"]?.int64,
            let context = value["context"]?.int64
        else { throw .notAnEventMessage }
        let times = receivedAtMs - EventLimits.ageMsMax...receivedAtMs + EventLimits.aheadMsMax
        guard times.contains(eventTimeMs), Self.clientTimeMs.contains(clientTimeMs),
            (0..<Int64(contexts)).contains(context)
        else { throw .invalidValue }
        return EventMessage.Event(
            insertID: try uuid(value["insert_id"]),
            name: name,
            eventTimeMs: eventTimeMs,
            clientTimeMs: clientTimeMs,
            sessionID: try uuid(value["session_id"]),
            userID: try text(value["user_id"], scalarsMax: EventLimits.userIDScalarsMax),
            durationMs: try duration(value["duration_ms"], of: name),
            context: Int(context),
            warnings: warnings(value["warnings"])
        )
    }

    private static func duration(_ value: JSONValue?, of name: EventName) throws(EventMessageError) -> Int64?
    {
        guard name == .sessionEnd else { return nil }
        guard let durationMs = value?.int64, (0...EventLimits.durationMsMax).contains(durationMs) else {
            throw .invalidValue
        }
        return durationMs
    }

    private static func warnings(_ value: JSONValue?) -> [WarningCode] {
        guard let value else { return [] }
        return value.elements.compactMap { $0.string.flatMap(WarningCode.init(rawValue:)) }
    }

    private static func uuid(_ value: JSONValue?) throws(EventMessageError) -> UUID128 {
        guard let value, let id = UUID128(utf8: value.utf8) else { throw .invalidValue }
        return id
    }

    private static func text(_ value: JSONValue?, scalarsMax: Int) throws(EventMessageError) -> String? {
        guard let value else { return nil }
        guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= scalarsMax,
            !text.utf8.contains(0)
        else { throw .invalidValue }
        return text
    }
}
