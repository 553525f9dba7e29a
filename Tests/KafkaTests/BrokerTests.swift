import Foundation
import Kafka
import Testing

/// What the mock cannot show, on a broker that `TEST_KAFKA_BROKERS` names.
@Suite(.enabled(if: !testServers.isEmpty), .timeLimit(.minutes(1))) struct BrokerTests {
    let topic = unique("kafka-tests")

    @Test func creatingTwiceSaysAlreadyExists() async throws {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        let topics = [KafkaTopicSpecification(name: topic, partitions: 3)]
        #expect(try await admin.createTopics(topics) == [topic: .created])
        #expect(try await admin.createTopics(topics) == [topic: .alreadyExists])
        #expect(try await admin.partitions(of: topic) == [0, 1, 2])
        try await admin.deleteTopic(topic)
    }

    @Test func anUnknownTopicHasNoPartitions() async throws {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        let error = await #expect(throws: KafkaError.self) { try await admin.partitions(of: topic) }
        #expect(error?.name == "UNKNOWN_TOPIC_OR_PART")
        await #expect(throws: KafkaError.self, "asking must not create it") {
            try await admin.partitions(of: topic)
        }
    }

    @Test func aDeletedTopicIsGone() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        try await admin.deleteTopic(topic)
        await #expect(throws: KafkaError.self) { try await admin.partitions(of: topic) }
    }

    @Test func partitionsCanBeAdded() async throws {
        let admin = try await adminWithTopic(partitions: 2)
        try await admin.addPartitions(to: topic, total: 5)
        #expect(try await admin.partitions(of: topic) == [0, 1, 2, 3, 4])
        try await admin.deleteTopic(topic)
    }

    @Test func watermarksFollowTheMessages() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        #expect(try await admin.watermarks(of: partition) == (0, 0))
        try await publish(timestampsMs: [nil, nil, nil])
        #expect(try await admin.watermarks(of: partition) == (0, 3))
        try await admin.deleteTopic(topic)
    }

    @Test func deletedRecordsMoveTheStart() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        try await publish(timestampsMs: [nil, nil, nil])
        try await admin.deleteRecords(before: [(partition, 2)])
        #expect(try await admin.watermarks(of: partition) == (2, 3))
        let reader = try Member(servers: testServers, topic: topic, group: topic)
        #expect(try await reader.consumer.watermarks(of: partition) == (2, 3))
        await reader.consumer.close()
        try await admin.deleteTopic(topic)
    }

    @Test func deletingBeyondTheEndIsRefused() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        let error = await #expect(throws: KafkaError.self) {
            try await admin.deleteRecords(before: [(partition, 5)])
        }
        #expect(error?.name == "OFFSET_OUT_OF_RANGE")
        try await admin.deleteTopic(topic)
    }

    @Test func aTopicTellsItsRetention() async throws {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        let kept = ["retention.ms": "86400000"]
        _ = try await admin.createTopics([
            KafkaTopicSpecification(name: topic, partitions: 1, configuration: kept)
        ])
        #expect(try await admin.configuration(of: topic)["retention.ms"] == "86400000")
        try await admin.deleteTopic(topic)
    }

    @Test func anUnknownTopicHasNoConfiguration() async throws {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        let error = await #expect(throws: KafkaError.self) { try await admin.configuration(of: topic) }
        #expect(error?.name == "UNKNOWN_TOPIC_OR_PART")
    }

    @Test func offsetsForTimesNameTheFirstMessageOrTheEnd() async throws {
        let admin = try await adminWithTopic(partitions: 2)
        // Not a fixed day: what is older than the topic's retention may be deleted at any moment.
        let firstMs = Int64(Date.now.timeIntervalSince1970 * 1_000) - 3_600_000
        try await publish(timestampsMs: [firstMs, firstMs + 1_000, firstMs + 2_000])
        #expect(try await admin.offsets(of: topic, atOrAfterMs: firstMs + 1) == [0: 1, 1: 0])
        #expect(try await admin.offsets(of: topic, atOrAfterMs: firstMs + 1_000) == [0: 1, 1: 0])
        #expect(try await admin.offsets(of: topic, atOrAfterMs: firstMs + 2_001) == [0: 3, 1: 0])
        try await admin.deleteTopic(topic)
    }

    @Test func readingStartsAtTheGivenOffset() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        try await publish(timestampsMs: [nil, nil, nil, nil])
        let reader = try Member(servers: testServers, topic: topic, group: topic)
        let messages = try await reader.read(from: .at(2), count: 2)
        #expect(messages.map(\.offset) == [2, 3])
        #expect(messages.map { text($0.payload) } == ["2", "3"])
        await reader.consumer.close()
        try await admin.deleteTopic(topic)
    }

    @Test func aCommitIsVisibleToAnotherMemberOfTheGroup() async throws {
        let admin = try await adminWithTopic(partitions: 1)
        try await publish(timestampsMs: [nil, nil])
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try Member(servers: testServers, topic: topic, group: topic)
        try await reader.consumer.subscribe([topic])
        _ = try await reader.collect(2)
        try await reader.consumer.commit([(partition, 2)])
        // Leaving waits for the commits under way.
        await reader.consumer.close()

        let observer = try Member(servers: testServers, topic: topic, group: topic)
        #expect(try await observer.consumer.committed([partition]) == [partition: 2])
        await observer.consumer.close()
        try await admin.deleteTopic(topic)
    }

    private func adminWithTopic(partitions: Int) async throws -> KafkaAdmin {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        _ = try await admin.createTopics([KafkaTopicSpecification(name: topic, partitions: partitions)])
        return admin
    }

    /// One message for each timestamp, into partition 0; its payload is its number.
    private func publish(timestampsMs: [Int64?]) async throws {
        let producer = try KafkaProducer.connected(to: testServers, ["enable.idempotence": "true"])
        for (index, timestampMs) in timestampsMs.enumerated() {
            let destination = KafkaDestination(topic: topic, partition: 0, timestampMs: timestampMs)
            try await producer.publish(bytes("\(index)"), key: bytes("k"), to: destination)
        }
        await producer.close(flushMs: 10_000)
    }
}
