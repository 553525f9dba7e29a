import JSON
import Wire

/// The decoders of what comes off the topics: whatever they take must survive another trip.
enum MessageTarget {
    static func run(_ bytes: [UInt8]) throws {
        if let message = try? EventMessageDecoder.decode(bytes, with: JSONParser()) {
            let again = try? EventMessageDecoder.decode(
                EventMessageCodec.encode(message),
                with: JSONParser()
            )
            try expect(again == message, "an event message changes when it is written and read again")
        }
        if let message = RejectionMessageCodec.decode(bytes, with: JSONParser()) {
            let again = RejectionMessageCodec.decode(
                RejectionMessageCodec.encode(message),
                with: JSONParser()
            )
            try expect(again == message, "a rejection message changes when it is written and read again")
        }
    }
}
