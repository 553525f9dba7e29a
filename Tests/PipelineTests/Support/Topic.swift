import Kafka

/// Reads and writes a stack's topic beside its services.
enum TopicTool {
    /// Everything a topic holds now; the events topic when none is named.
    static func messages(of stack: Stack, topic: String? = nil) async throws -> [KafkaMessage] {
        let reader = try await TopicReader(stack.brokers, topic: topic ?? stack.topic)
        let found = try await reader.catchUp()
        await reader.close()
        return found
    }

    static func withProducer(of stack: Stack, _ body: (KafkaProducer) async throws -> Void) async throws {
        let producer = try KafkaProducer(settings: ["bootstrap.servers": stack.brokers, "acks": "all"])
        do {
            try await body(producer)
        } catch {
            await producer.close(flushMs: 0)
            throw error
        }
        await producer.close(flushMs: 10_000)
    }
}

/// Reads a topic from its beginning, and later what came since: opening one takes longer than reading.
actor TopicReader {
    private let topic: String
    private let admin: KafkaAdmin
    private let consumer: KafkaConsumer
    private var next: [Int32: Int64] = [:]
    private var found: [KafkaMessage] = []

    init(_ brokers: String, topic: String) async throws {
        self.topic = topic
        admin = try KafkaAdmin(settings: ["bootstrap.servers": brokers])
        consumer = try KafkaConsumer(settings: [
            "bootstrap.servers": brokers, "group.id": topic + ".tests", "fetch.wait.max.ms": "10",
        ])
        let partitions = try await admin.partitions(of: topic)
        for partition in partitions { next[partition] = 0 }
        try await consumer.assign(
            partitions.map { (KafkaTopicPartition(topic: topic, partition: $0), .beginning) }
        )
    }

    /// Everything the topic holds at the time of the call.
    func catchUp() async throws -> [KafkaMessage] {
        var ends: [Int32: Int64] = [:]
        for partition in next.keys {
            let place = KafkaTopicPartition(topic: topic, partition: partition)
            ends[partition] = try await admin.watermarks(of: place).high
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while ends.contains(where: { next[$0.key, default: 0] < $0.value }) {
            guard ContinuousClock.now < deadline else {
                throw NeverHappened(what: "\(topic) is read", seconds: 60)
            }
            for case .messages(let messages) in try await consumer.poll(
                messagesMax: 10_000,
                bytesMax: 64 << 20,
                waitMs: 50
            ) {
                found += messages
                for message in messages { next[message.partition] = message.offset + 1 }
            }
        }
        return found
    }

    func close() async { await consumer.close() }
}
