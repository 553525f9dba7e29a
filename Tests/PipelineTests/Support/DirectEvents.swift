import Contracts
import Kafka
import Postgres
import Synchronization
import Testing
import Wire

/// Messages published past ingest, for what only the topic's readers decide.
struct DirectEvents {
    let stack: Stack
    let app: UUID128
    let atMs: Int64

    init(_ stack: Stack, _ app: TestApp) throws {
        self.stack = stack
        self.app = try #require(UUID128(app.id))
        atMs = TestDays().noon(daysAgo: 1)
    }

    /// Starts of one install; everything of them follows from these numbers.
    func message(install: UInt64, events count: UInt64 = 1, user: String? = nil, atMs: Int64? = nil)
        -> EventMessage
    {
        let atMs = atMs ?? self.atMs
        return EventMessage(
            appID: app,
            keyID: UUID128(high: 3, low: 3),
            installID: UUID128(high: 4, low: install),
            receivedAtMs: atMs + 1_000,
            contexts: [EventContext(environment: .production, platform: .ios)],
            events: (0..<count).map { number in
                EventMessage.Event(
                    insertID: UUID128(high: install, low: number),
                    name: .sessionStart,
                    eventTimeMs: atMs,
                    clientTimeMs: atMs,
                    sessionID: UUID128(high: install, low: number),
                    userID: user
                )
            }
        )
    }

    /// Publishes in order, all under way at once, and waits until the broker has them.
    func publish(_ messages: some Sequence<(partition: Int32, message: EventMessage)>) async throws {
        let failures = Atomic(0)
        let producer = try KafkaProducer(settings: [
            "bootstrap.servers": stack.brokers, "acks": "all", "linger.ms": "20",
        ])
        for (partition, message) in messages {
            let place = KafkaDestination(topic: stack.topic, partition: partition)
            try producer.produce(EventMessageCodec.encode(message), key: [1], to: place) { error in
                if error != nil { failures.add(1, ordering: .relaxed) }
            }
        }
        await producer.close(flushMs: 60_000)
        try #require(failures.load(ordering: .relaxed) == 0)
    }

    /// Publishes one message into partition 0.
    func publish(_ message: EventMessage) async throws {
        try await publish([(partition: Int32(0), message: message)])
    }

    func stored() async throws -> Int { try await stack.database.count("SELECT count(*) FROM events") }
}
