import Contracts
import Gzip
import HTTP
import JSON
import Wire

@testable import IngestCore

/// The way of a batch from the wire to the topic: inflate, parse, check, build messages, and read them back as the aggregator does.
///
/// The first byte is a digit that holds four choices, so that seeds stay readable: 1 the rest is gzip, 2 the key has a platform, 4 the
/// app has several platforms, 8 (`8`, `9`, `:` …) the batch counts as received when it says it was sent.
enum BatchTarget {
    static let receivedAtMs: Int64 = 1_791_969_302_000

    static func run(_ bytes: [UInt8]) throws {
        guard let choices = bytes.first, let body = unpacked(bytes, choices) else { return }
        let key = key(choices)
        // Nothing but what the parser refuses may end here, hence `try?` around the parser alone.
        let outcome = try? JSONParser().withDocument(body) { root in
            Result { try judge(root, key: key, isReceivedAsSent: choices & 8 != 0) }
        }
        try outcome?.get()
    }

    private static func unpacked(_ bytes: [UInt8], _ choices: UInt8) -> [UInt8]? {
        let rest = Array(bytes.dropFirst())
        guard choices & 1 != 0 else { return rest }
        return try? Gzip.inflate(rest, outputBytesMax: EventLimits.bodyBytesMax)
    }

    private static func key(_ choices: UInt8) -> RegisteredKey {
        let platforms: [Platform] = choices & 4 == 0 ? [.ios] : [.ios, .web]
        return RegisteredKey(
            id: UUID128(high: 1, low: 2),
            platform: choices & 2 == 0 ? nil : .android,
            app: RegisteredApp(id: UUID128(high: 3, low: 4), platforms: platforms)
        )
    }

    private static func judge(_ root: JSONValue, key: RegisteredKey, isReceivedAsSent: Bool) throws {
        guard let head = head(root) else { return }
        let receivedAtMs = isReceivedAsSent ? head.sentAtMs : receivedAtMs
        // An import refuses such a batch, and a live one has the time of the clock.
        guard EventMessage.receivedAtMsRange.contains(receivedAtMs) else { return }
        let verdict = BatchValidator.validate(head, key: key, receivedAtMs: receivedAtMs)
        try expect(
            verdict.acceptedCount + verdict.rejected.count == head.events.count,
            "accepted + rejected is not what was sent"
        )
        let messages = MessageBuilder.messages(
            verdict.accepted,
            contexts: verdict.contexts.map(\.context),
            key: key,
            receivedAtMs: receivedAtMs
        )
        try checkStored(messages, verdict, receivedAtMs: receivedAtMs, key: key)
        try checkAnswer(verdict, receivedAtMs: receivedAtMs)
        try checkReport(verdict, app: key.app.id, receivedAtMs: receivedAtMs)
    }

    private static func head(_ root: JSONValue) -> BatchHead? {
        do throws(BatchRefusal) {
            return try BatchHead(root)
        } catch {
            return nil
        }
    }

    /// An event, its install and its context, as they come out at either end of the topic.
    private struct Stored: Equatable {
        let installID: UUID128
        var event: EventMessage.Event
        let context: EventContext

        init(_ event: EventMessage.Event, _ installID: UUID128, _ contexts: [EventContext]) {
            self.installID = installID
            self.event = event
            context = contexts[event.context]
            self.event.context = 0
        }
    }

    private static func checkStored(
        _ messages: [OutgoingMessage],
        _ verdict: BatchVerdict,
        receivedAtMs: Int64,
        key: RegisteredKey
    ) throws {
        let contexts = verdict.contexts.map(\.context)
        var waiting: [UUID128: Stored] = [:]
        for accepted in verdict.accepted {
            let sent = Stored(accepted.event, accepted.installID, contexts)
            let before = waiting.updateValue(sent, forKey: accepted.event.insertID)
            try expect(before == nil, "two accepted events have one insert_id")
        }
        for outgoing in messages {
            let message = try decoded(outgoing.payload)
            try expect(message.receivedAtMs == receivedAtMs, "received_at changed on its way")
            try expect(message.appID == key.app.id && message.keyID == key.id, "the key changed on its way")
            let partition = EventMessage.key(appID: message.appID, installID: message.installID)
            try expect(outgoing.key == partition, "the message has another install's key")
            for event in message.events {
                let stored = Stored(event, message.installID, message.contexts)
                let sent = waiting.removeValue(forKey: event.insertID)
                try expect(sent == stored, "\(stored) is not what was accepted")
            }
        }
        try expect(waiting.isEmpty, "\(waiting.count) accepted events are in no message")
    }

    private static func decoded(_ payload: [UInt8]) throws -> EventMessage {
        do throws(EventMessageError) {
            return try EventMessageDecoder.decode(payload, with: JSONParser())
        } catch {
            throw FuzzFinding("an accepted event cannot be stored: \(error)")
        }
    }

    private static func checkAnswer(_ verdict: BatchVerdict, receivedAtMs: Int64) throws {
        let answer = IngestAnswer.result(
            verdict,
            serverTimeMs: receivedAtMs,
            requestID: "r",
            language: .russian
        )
        let rejected = try? JSONParser().withDocument(answer.body) { $0["rejected"]?.count }
        try expect(rejected == verdict.rejected.count, "the answer is not what was decided")
    }

    private static func checkReport(_ verdict: BatchVerdict, app: UUID128, receivedAtMs: Int64) throws {
        let items = verdict.rejected.map { rejection in
            RejectionMessage.Item(
                code: rejection.code.rawValue,
                field: RejectionReporter.withoutIndex(rejection.field),
                insertID: rejection.insertID,
                platform: rejection.platform,
                appVersion: rejection.appVersion
            )
        }
        let report = RejectionMessage(appID: app, receivedAtMs: receivedAtMs, items: items)
        let read = RejectionMessageCodec.decode(RejectionMessageCodec.encode(report), with: JSONParser())
        try expect(read == report, "the report of rejections changed on its way")
    }
}
