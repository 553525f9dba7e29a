import Kafka
import Postgres
import ServiceKit
import Testing

/// One ingest, and apps for whoever walks the contract against it.
struct Conformance: Sendable {
    let stack: Stack
    let ingest: RunningService
    /// iOS and web, with a key for each and one for any.
    let app: TestApp
    /// Android only.
    let single: TestApp
    let archivedKey: String
    /// Sends its head byte by byte from the beginning on; ends when ingest has closed it.
    let slowHead: Task<Void, any Error>
    private let reader: TopicReader

    @TaskLocal static var current: Conformance?

    static func shared() throws -> Conformance { try #require(current) }

    init(_ stack: Stack) async throws {
        self.stack = stack
        app = try await stack.createApp(platforms: ["ios", "web"])
        single = try await stack.createApp(platforms: ["android"])
        archivedKey = try await stack.createApp().anyKey
        // The console's button does this; fgctl has no command for it.
        try await stack.database.use { [archivedKey] connection in
            _ = try await connection.execute(
                """
                UPDATE apps SET status = 'archived', archived_at = now()
                WHERE app_id = (SELECT app_id FROM write_keys WHERE key = \(archivedKey))
                """
            )
        }
        ingest = try await stack.start(.ingest)
        reader = try await TopicReader(stack.brokers, topic: stack.topic)
        slowHead = Task { [ingest] in
            try await onConnection(port: ingest.servicePort) { connection in
                try connection.trickle("POST /v1/events HTTP/1.1\r\nX-Slow: ", everyMs: 500)
            }
        }
    }

    /// Posts with these headers and no others; nil as a value leaves the usual one out.
    func post(_ body: [UInt8], _ changes: [(name: String, value: String?)] = []) async throws -> HTTPAnswer {
        try await send("POST", body: body, headers: changes)
    }

    func post(_ draft: Draft, _ changes: [(name: String, value: String?)] = []) async throws -> HTTPAnswer {
        try await post(draft.bytes, changes)
    }

    func send(
        _ method: String,
        _ target: String = "/v1/events",
        body: [UInt8] = [],
        headers changes: [(name: String, value: String?)] = []
    ) async throws -> HTTPAnswer {
        var headers = [
            (name: "Content-Type", value: "application/json"), (name: "X-App-Key", value: app.key("ios")),
        ]
        for change in changes {
            headers.removeAll { $0.name == change.name }
        }
        headers += changes.compactMap { change in change.value.map { (change.name, $0) } }
        return try await HTTPCall(
            method: method,
            port: ingest.servicePort ?? 0,
            target: target,
            headers: headers,
            body: body
        )
        .answer()
    }

    /// What the topic holds of these events, in their order.
    func stored(_ draft: Draft) async throws -> [StoredEvent] {
        let ids = draft.events.compactMap { $0["insert_id"]?.string }
        let all = try StoredEvent.all(in: try await reader.catchUp())
        return ids.compactMap { all[$0]?.first }
    }
}

/// An event as it is in the topic.
struct StoredEvent: Sendable {
    let event: JSON
    let context: JSON
    let receivedAtMs: Int64

    /// Milliseconds from its receipt to the corrected time.
    var offsetMs: Int64 { Int64(event["event_time"].int ?? 0) - receivedAtMs }
}

extension StoredEvent {
    /// Every event of these messages, by `insert_id`; more than one is a repeat.
    static func all(in messages: [KafkaMessage]) throws -> [String: [StoredEvent]] {
        var found: [String: [StoredEvent]] = [:]
        for message in messages {
            let json = try JSON(parsing: message.payload ?? [])
            for event in json["events"].list {
                let stored = StoredEvent(
                    event: event,
                    context: json["contexts"][event["context"].int ?? 0],
                    receivedAtMs: Int64(json["received_at"].int ?? 0)
                )
                found[event["insert_id"].string ?? "", default: []].append(stored)
            }
        }
        return found
    }
}

extension TopicTool {
    /// Every event of the events topic, by `insert_id`.
    static func storedEvents(of stack: Stack) async throws -> [String: [StoredEvent]] {
        try StoredEvent.all(in: try await messages(of: stack))
    }
}

/// A batch in the making, in which anything may be wrong.
struct Draft: Sendable {
    var members: [String: JSON] = [:]
    var events: [[String: JSON]]

    /// Times are counted from this moment, which any clock will do for: only differences matter.
    static let sentAtMs = SystemWallClock().nowMs()

    init(_ events: [String: JSON]..., members: [String: JSON] = [:]) {
        self.init(events: events, members: members)
    }

    init(events: [[String: JSON]], members: [String: JSON] = [:]) {
        self.events = events
        let usual: [String: JSON] = [
            "sent_at": .text(utcText(ms: Self.sentAtMs)), "context": ["platform": "ios"],
        ]
        self.members = usual.merging(members) { $1 }
    }

    var json: JSON { .object(members.merging(["events": .list(events.map { .object($0) })]) { $1 }) }
    var bytes: [UInt8] { json.bytes }

    /// Padded with blanks to exactly so many bytes.
    func bytes(padded count: Int) -> [UInt8] {
        let bytes = bytes
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: count - bytes.count)
    }

    /// A start, or an end when a duration is among the changes.
    static func event(_ changes: [String: JSON] = [:], without removed: String...) -> [String: JSON] {
        var make = EventMaker(seed: .random(in: 0 ... .max))
        var event: [String: JSON] = [
            "insert_id": .text(make.uuid()),
            "name": changes["duration_ms"] == nil ? "session_start" : "session_end",
            "timestamp": .text(utcText(ms: sentAtMs)), "install_id": .text(make.uuid()),
            "session_id": .text(make.uuid()),
        ]
        event.merge(changes) { $1 }
        for name in removed { event[name] = nil }
        return event
    }

    /// An event so many milliseconds after the batch was sent.
    static func event(afterMs offsetMs: Int64) -> [String: JSON] {
        event(["timestamp": .text(utcText(ms: sentAtMs + offsetMs))])
    }

    static func starts(_ count: Int, install: String? = nil) -> [[String: JSON]] {
        (0..<count).map { _ in event(install.map { ["install_id": .text($0)] } ?? [:]) }
    }
}

struct ConformanceTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Stack.run { stack in
            let world = try await Conformance(stack)
            try await Conformance.$current.withValue(world) { try await function() }
        }
    }
}

extension Trait where Self == ConformanceTrait {
    /// One ingest and its apps, shared by the suites inside.
    static var conformance: Self { ConformanceTrait() }
}
