import Contracts
import Wire

/// A message ready for Kafka: key and bytes.
struct OutgoingMessage: Equatable {
    let key: [UInt8]
    let payload: [UInt8]
}

/// Turns the accepted events of a batch into messages: one for each install, split where the broker's limit asks for it.
enum MessageBuilder {
    /// - Parameter contexts: those of the verdict, with country and city filled.
    static func messages(
        _ accepted: [AcceptedEvent],
        contexts: [EventContext],
        key: RegisteredKey,
        receivedAtMs: Int64,
        bytesMax: Int = Topics.messageBytesMax
    ) -> [OutgoingMessage] {
        var order: [UUID128] = []
        var events: [UUID128: [EventMessage.Event]] = [:]
        for event in accepted {
            if events[event.installID] == nil { order.append(event.installID) }
            events[event.installID, default: []].append(event.event)
        }
        var messages: [OutgoingMessage] = []
        for install in order {
            let message = EventMessage(
                appID: key.app.id,
                keyID: key.id,
                installID: install,
                receivedAtMs: receivedAtMs,
                contexts: contexts,
                events: events[install] ?? []
            )
            append(message, to: &messages, bytesMax: bytesMax)
        }
        return messages
    }

    private static func append(_ message: EventMessage, to messages: inout [OutgoingMessage], bytesMax: Int) {
        let payload = EventMessageCodec.encode(withUsedContextsOnly(message))
        guard payload.count > bytesMax, message.events.count > 1 else {
            let key = EventMessage.key(appID: message.appID, installID: message.installID)
            messages.append(OutgoingMessage(key: key, payload: payload))
            return
        }
        let middle = message.events.count / 2
        var (first, second) = (message, message)
        first.events = Array(message.events[..<middle])
        second.events = Array(message.events[middle...])
        append(first, to: &messages, bytesMax: bytesMax)
        append(second, to: &messages, bytesMax: bytesMax)
    }

    private static func withUsedContextsOnly(_ message: EventMessage) -> EventMessage {
        guard message.contexts.count > 1 else { return message }
        var used = message
        used.contexts = []
        var index: [Int: Int] = [:]
        for position in used.events.indices {
            let old = used.events[position].context
            if index[old] == nil {
                index[old] = used.contexts.count
                used.contexts.append(message.contexts[old])
            }
            used.events[position].context = index[old] ?? 0
        }
        return used
    }
}
