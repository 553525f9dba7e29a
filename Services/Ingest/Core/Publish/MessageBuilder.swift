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
        var messages: [OutgoingMessage] = []
        // Nearly all batches have one context, which then goes into every message as it is.
        let shared = contexts.count == 1 ? EventMessageCodec.Contexts(contexts) : nil
        for group in groups(accepted) {
            let message = EventMessage(
                appID: key.app.id,
                keyID: key.id,
                installID: group.install,
                receivedAtMs: receivedAtMs,
                contexts: contexts,
                events: group.events
            )
            append(message, shared, to: &messages, bytesMax: bytesMax)
        }
        return messages
    }

    /// Most batches come from one install; only the others pay for a dictionary.
    private static func groups(
        _ accepted: [AcceptedEvent]
    ) -> [(install: UUID128, events: [EventMessage.Event])] {
        guard let first = accepted.first?.installID else { return [] }
        if accepted.allSatisfy({ $0.installID == first }) { return [(first, accepted.map(\.event))] }
        var position: [UUID128: Int] = [:]
        var groups: [(install: UUID128, events: [EventMessage.Event])] = []
        for event in accepted {
            if let known = position[event.installID] {
                groups[known].events.append(event.event)
            } else {
                position[event.installID] = groups.count
                groups.append((event.installID, [event.event]))
            }
        }
        return groups
    }

    private static func append(
        _ message: EventMessage,
        _ shared: EventMessageCodec.Contexts?,
        to messages: inout [OutgoingMessage],
        bytesMax: Int
    ) {
        let payload =
            if let shared {
                EventMessageCodec.encode(message, contexts: shared)
            } else {
                EventMessageCodec.encode(withUsedContextsOnly(message))
            }
        guard payload.count > bytesMax, message.events.count > 1 else {
            let key = EventMessage.key(appID: message.appID, installID: message.installID)
            messages.append(OutgoingMessage(key: key, payload: payload))
            return
        }
        let middle = message.events.count / 2
        var (first, second) = (message, message)
        first.events = Array(message.events[..<middle])
        second.events = Array(message.events[middle...])
        append(first, shared, to: &messages, bytesMax: bytesMax)
        append(second, shared, to: &messages, bytesMax: bytesMax)
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
