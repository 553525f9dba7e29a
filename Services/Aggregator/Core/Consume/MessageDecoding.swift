import Contracts
public import JSON
public import Kafka
import Wire

/// Turns what Kafka delivered of the events topic into what can be stored or set aside; never fails.
public enum MessageDecoding {
    public static func decode(_ message: KafkaMessage, with parser: JSONParser) -> DecodedMessage {
        DecodedMessage(
            partition: message.partition,
            offset: message.offset,
            content: content(of: message.payload ?? [], parser)
        )
    }

    public static func content(of payload: [UInt8], _ parser: JSONParser) -> DecodedMessage.Content {
        do throws(EventMessageError) {
            return .events(try EventMessageDecoder.decode(payload, with: parser))
        } catch {
            return .unusable(reason: SetAsideReason(error), payload: payload)
        }
    }
}

extension SetAsideReason {
    fileprivate init(_ error: EventMessageError) {
        self =
            switch error {
            case .empty: .empty
            case .notJSON: .notJSON
            case .notAnEventMessage: .notAnEventMessage
            case .unknownVersion: .unknownVersion
            case .invalidValue: .invalidValue
            }
    }
}
