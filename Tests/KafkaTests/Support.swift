import Foundation
import Kafka
import Synchronization

/// Brokers for what the mock cannot do; without them those suites are skipped.
let testServers = ProcessInfo.processInfo.environment["TEST_KAFKA_BROKERS"] ?? ""

/// A name nobody else uses, on brokers that live longer than a test.
func unique(_ prefix: String) -> String {
    "\(prefix)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

/// Counts completions, which run on another thread.
final class Outcomes: Sendable {
    private let list = Mutex<[KafkaError?]>([])

    var all: [KafkaError?] { list.withLock { $0 } }

    func add(_ error: KafkaError?) { list.withLock { $0.append(error) } }
}

extension KafkaProducer {
    /// Settings with which nothing waits for company.
    static func connected(to servers: String, _ more: [String: String] = [:]) throws -> KafkaProducer {
        let settings = ["bootstrap.servers": servers, "linger.ms": "0", "retry.backoff.ms": "10"]
        return try KafkaProducer(settings: settings.merging(more) { $1 })
    }
}

/// One reader with the simplest policy: everything it is given, it reads from where it was told.
final class Member {
    let consumer: KafkaConsumer
    let topic: String
    private(set) var owned: Set<Int32> = []
    private(set) var messages: [KafkaMessage] = []
    private(set) var errors: [KafkaError] = []
    private(set) var rebalances = 0

    init(servers: String, topic: String, group: String, _ more: [String: String] = [:]) throws {
        let settings = [
            "bootstrap.servers": servers,
            "group.id": group,
            "heartbeat.interval.ms": "200",
            "fetch.wait.max.ms": "50",
        ]
        consumer = try KafkaConsumer(settings: settings.merging(more) { $1 })
        self.topic = topic
    }

    func poll(waitMs: Int = 100) async throws -> [KafkaConsumerEvent] {
        // The suite's time limit cancels; without this a test would wait for ever for what does not come.
        try Task.checkCancellation()
        return try await consumer.poll(messagesMax: 1_000, bytesMax: 1 << 20, waitMs: waitMs)
    }

    /// Polls once and answers what the group asks.
    func step() async throws {
        for event in try await poll() {
            switch event {
            case .assigned(let partitions):
                try await consumer.assign(partitions.map { ($0, .beginning) })
                owned = Set(partitions.map(\.partition))
                rebalances += 1
            case .revoked:
                try await consumer.unassign()
                owned = []
                rebalances += 1
            case .messages(let some): messages += some
            case .error(let error): errors.append(error)
            }
        }
    }

    /// Reads by hand, without the group.
    func read(from offset: KafkaOffset, partition: Int32 = 0, count: Int) async throws -> [KafkaMessage] {
        try await consumer.assign([(KafkaTopicPartition(topic: topic, partition: partition), offset)])
        return try await collect(count)
    }

    func collect(_ count: Int) async throws -> [KafkaMessage] {
        while messages.count < count { try await step() }
        return messages
    }
}
