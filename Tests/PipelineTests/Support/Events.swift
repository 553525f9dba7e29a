import Foundation
import Gzip
import ServiceKit

/// An event as an app sends it.
struct TestEvent: Sendable {
    var insertID: String
    var name: String
    var timeMs: Int64
    var install: String
    var session: String
    var user: String?
    var durationMs: Int64?
    var context: [String: JSON] = [:]

    var json: JSON {
        var members: [String: JSON] = [
            "insert_id": .text(insertID), "name": .text(name), "timestamp": .text(utcText(ms: timeMs)),
            "install_id": .text(install), "session_id": .text(session),
        ]
        if let user { members["user_id"] = .text(user) }
        if let durationMs { members["duration_ms"] = .number(Double(durationMs)) }
        if !context.isEmpty { members["context"] = .object(context) }
        return .object(members)
    }
}

/// A batch as an app sends it.
struct TestBatch: Sendable {
    var events: [TestEvent]
    /// Nil is the moment of sending.
    var sentAtMs: Int64?
    var context: [String: JSON] = [:]

    var bytes: [UInt8] {
        let members: [String: JSON] = [
            "sent_at": .text(utcText(ms: sentAtMs ?? SystemWallClock().nowMs())), "context": .object(context),
            "events": .list(events.map(\.json)),
        ]
        return JSON.object(members).bytes
    }
}

/// Makes identifiers and events; the same seed gives the same ones.
struct EventMaker {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func uuid() -> String {
        let (high, low) = (random.next(), random.next())
        let text = String(format: "%016lx%016lx", high, low)
        var parts: [Substring] = []
        var rest = text[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// Both events of a session that ends at its duration after `startMs`.
    mutating func session(
        at startMs: Int64,
        install: String? = nil,
        user: String? = nil,
        durationMs: Int64 = 95_000
    ) -> [TestEvent] {
        let install = install ?? uuid()
        let start = TestEvent(
            insertID: uuid(),
            name: "session_start",
            timeMs: startMs,
            install: install,
            session: uuid(),
            user: user
        )
        var end = start
        end.insertID = uuid()
        end.name = "session_end"
        end.timeMs = startMs + durationMs
        end.durationMs = durationMs
        return [start, end]
    }
}

/// Days that stay what they are while a test runs over midnight.
struct TestDays: Sendable {
    private static let dayMs: Int64 = 86_400_000
    private let todayMs: Int64

    init(nowMs: Int64 = SystemWallClock().nowMs()) {
        todayMs = nowMs - nowMs % Self.dayMs
    }

    /// Noon of a day in UTC, as milliseconds: far from every border.
    func noon(daysAgo: Int) -> Int64 { todayMs - Int64(daysAgo) * Self.dayMs + Self.dayMs / 2 }

    /// The day as reports name it, such as 2026-03-01.
    func date(daysAgo: Int) -> String { String(utcText(ms: noon(daysAgo: daysAgo)).prefix(10)) }
}

extension Stack {
    /// Posts a body to ingest.
    func post(
        _ body: [UInt8],
        key: String,
        to ingest: RunningService? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> HTTPAnswer {
        let service: RunningService
        if let ingest { service = ingest } else { service = try await running(.ingest) }
        return try await HTTPCall(
            method: "POST",
            port: service.servicePort ?? 0,
            target: "/v1/events",
            headers: [("Content-Type", "application/json"), ("X-App-Key", key)] + headers,
            body: body
        )
        .answer()
    }

    func post(_ batch: TestBatch, key: String, to ingest: RunningService? = nil) async throws -> HTTPAnswer {
        keepSecret(batch.events.flatMap { [$0.install, $0.user, $0.session] }.compactMap { $0 })
        return try await post(batch.bytes, key: key, to: ingest)
    }

    func postGzipped(_ batch: TestBatch, key: String) async throws -> HTTPAnswer {
        try await post(Gzip.deflate(batch.bytes), key: key, headers: [("Content-Encoding", "gzip")])
    }

    /// Reads from the Read API.
    func read(_ target: String, key: String, from reader: RunningService? = nil) async throws -> HTTPAnswer {
        let service: RunningService
        if let reader { service = reader } else { service = try await running(.reader) }
        return try await HTTPCall(
            port: service.servicePort ?? 0,
            target: target,
            headers: [("Authorization", "Bearer \(key)")]
        )
        .answer()
    }
}
