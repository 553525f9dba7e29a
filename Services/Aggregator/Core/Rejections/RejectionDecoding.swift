import Contracts
public import JSON
public import Kafka
import Wire

/// Turns what Kafka delivered of the rejections topic into what can be stored or set aside; never fails.
public enum RejectionDecoding {
    public static func decode(_ message: KafkaMessage, with parser: JSONParser) -> DecodedRejections {
        DecodedRejections(
            partition: message.partition,
            offset: message.offset,
            content: content(of: message.payload ?? [], parser)
        )
    }

    public static func content(of payload: [UInt8], _ parser: JSONParser) -> DecodedRejections.Content {
        if let message = RejectionMessageCodec.decode(payload, with: parser) { return .rejections(message) }
        return .unusable(reason: reason(payload, parser), payload: payload)
    }

    private static func reason(_ payload: [UInt8], _ parser: JSONParser) -> SetAsideReason {
        guard !payload.isEmpty else { return .empty }
        let version = try? parser.withDocument(payload) { root in (isThere: true, number: root["v"]?.int64) }
        guard let version else { return .notJSON }
        guard let number = version.number, number != Int64(RejectionMessage.schemaVersion) else {
            return .invalidValue
        }
        return .unknownVersion
    }
}
