public import Contracts
public import JSON

/// The bytes of a `RejectionMessage` on the rejections topic.
///
/// Version 1, absent values left out:
/// ```
/// {"v":1,"app_id":…,"received_at":…,"items":[{"code":…,"field":…,"insert_id":…,"platform":…,"app_version":…}]}
/// ```
public enum RejectionMessageCodec {
    /// More than a batch can hold.
    static let itemsMax = 1_000

    public static func encode(_ message: RejectionMessage) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 128 + 128 * message.items.count)
        writer.beginObject()
        writer.key("v")
        writer.int(RejectionMessage.schemaVersion)
        writer.key("app_id")
        writer.uuid(message.appID)
        writer.key("received_at")
        writer.int64(message.receivedAtMs)
        writer.key("items")
        writer.beginArray()
        for item in message.items {
            writer.beginObject()
            writer.key("code")
            writer.string(item.code)
            writer.member("field", item.field)
            if let id = item.insertID {
                writer.key("insert_id")
                writer.uuid(id)
            }
            writer.member("platform", item.platform?.rawValue)
            writer.member("app_version", item.appVersion)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Nil for anything that is not a message of a known version: rejections are for looking at, so a strange one is left out.
    public static func decode(_ bytes: [UInt8], with parser: JSONParser) -> RejectionMessage? {
        try? parser.withDocument(bytes) { root -> RejectionMessage? in
            guard root["v"]?.int64 == Int64(RejectionMessage.schemaVersion),
                let appID = root["app_id"].flatMap({ UUID128(utf8: $0.utf8) }),
                let receivedAtMs = root["received_at"]?.int64,
                EventMessage.receivedAtMsRange.contains(receivedAtMs),
                let items = root["items"], items.isArray, items.count <= itemsMax
            else { return nil }
            return RejectionMessage(
                appID: appID,
                receivedAtMs: receivedAtMs,
                items: items.elements.compactMap { item($0) }
            )
        }
    }

    private static func item(_ value: JSONValue) -> RejectionMessage.Item? {
        guard let code = text(value["code"]) else { return nil }
        return RejectionMessage.Item(
            code: code,
            field: text(value["field"]),
            insertID: value["insert_id"].flatMap { UUID128(utf8: $0.utf8) },
            platform: value["platform"]?.string.flatMap(Platform.init(rawValue:)),
            appVersion: text(value["app_version"])
        )
    }

    /// Nil for a text no table would take.
    private static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
