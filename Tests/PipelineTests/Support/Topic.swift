import Kafka

/// Reads and writes a stack's topic beside its services.
enum TopicTool {
    /// Everything the events topic holds now, or another.
    static func messages(of stack: Stack, topic: String? = nil) async throws -> [KafkaMessage] {
        let topic = topic ?? stack.topic
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": stack.brokers])
        var ends: [KafkaTopicPartition: Int64] = [:]
        for partition in try await admin.partitions(of: topic) {
            let place = KafkaTopicPartition(topic: topic, partition: partition)
            let marks = try await admin.watermarks(of: place)
            if marks.high > marks.low { ends[place] = marks.high }
        }
        let consumer = try KafkaConsumer(settings: [
            "bootstrap.servers": stack.brokers, "group.id": topic + ".tests",
        ])
        try await consumer.assign(ends.keys.map { ($0, .beginning) })
        var found: [KafkaMessage] = []
        try await wait(until: "the topic is read") {
            for case .messages(let messages) in try await consumer.poll(
                messagesMax: 10_000,
                bytesMax: 64 << 20,
                waitMs: 100
            ) {
                found += messages
                for message in messages {
                    let place = KafkaTopicPartition(topic: message.topic, partition: message.partition)
                    if let end = ends[place], message.offset + 1 >= end { ends[place] = nil }
                }
            }
            return ends.isEmpty
        }
        await consumer.close()
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
