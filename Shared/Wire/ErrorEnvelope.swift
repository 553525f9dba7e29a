import JSON

/// The one shape in which every HTTP server of ours says no.
public enum ErrorEnvelope {
    /// `{"error":{"code","message","request_id","details"}}`; details without a value are left out, and so is `details` without any.
    public static func encode(
        code: String,
        message: String,
        requestID: String,
        details: [(name: String, value: String?)] = []
    ) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 256)
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.key("code")
        writer.string(code)
        writer.key("message")
        writer.string(message)
        writer.key("request_id")
        writer.string(requestID)
        let present = details.compactMap { detail in detail.value.map { (detail.name, $0) } }
        if !present.isEmpty {
            writer.key("details")
            writer.beginObject()
            for (name, value) in present {
                writer.key(name)
                writer.string(value)
            }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
