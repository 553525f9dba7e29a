import CRDKafka
import Kafka
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProducerDeliveryTests {
    let topic = "events"

    @Test func publishReturnsWhenTheMessageCanBeRead() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers)
        let destination = KafkaDestination(topic: topic, partition: 0)
        try await producer.publish(bytes("hello"), key: bytes("k"), to: destination)

        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        let message = try #require(try await reader.read(from: .beginning, count: 1).first)

        #expect(text(message.payload) == "hello")
        #expect(text(message.key) == "k")
        #expect(message.topic == topic && message.partition == 0 && message.offset == 0)
        await reader.consumer.close()
        await producer.close(flushMs: 1_000)
    }

    @Test func messagesOfOneKeyKeepTheirOrder() async throws {
        let cluster = try MockCluster()
        cluster.createTopic(topic, partitions: 4)
        let producer = try KafkaProducer.connected(to: cluster.servers, ["enable.idempotence": "true"])
        let outcomes = Outcomes()
        for index in 0..<500 {
            try producer.produce(bytes("\(index)"), key: bytes("same"), to: topic) { outcomes.add($0) }
        }
        await producer.close(flushMs: 10_000)
        #expect(outcomes.all.count == 500 && outcomes.all.allSatisfy { $0 == nil })

        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await reader.consumer.assign(
            (0..<4).map { (KafkaTopicPartition(topic: topic, partition: $0), .beginning) }
        )
        #expect(try await reader.collect(500).map { text($0.payload) } == (0..<500).map { "\($0)" })
        await reader.consumer.close()
    }

    @Test func aThousandConcurrentPublishesAllReturn() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<1_000 {
                group.addTask {
                    try await producer.publish(bytes("\(index)"), key: bytes("k\(index)"), to: "events")
                }
            }
            try await group.waitForAll()
        }
        #expect(producer.queuedMessages == 0)
        await producer.close(flushMs: 1_000)
    }

    @Test func headersTravelInOrder() async throws {
        let headers = [
            KafkaHeader(name: "v", value: bytes("1")), KafkaHeader(name: "empty", value: []),
            KafkaHeader(name: "v", value: [0, 255]),
        ]
        let message = try await roundTrip(bytes("x"), key: bytes("k"), headers: headers)
        #expect(message.headers == headers)
    }

    @Test func anEmptyPayloadIsNotATombstone() async throws {
        #expect(try await roundTrip([], key: bytes("k")).payload == [])
    }

    @Test func aNilPayloadIsATombstone() async throws {
        #expect(try await roundTrip(nil, key: bytes("k")).payload == nil)
    }

    @Test func anEmptyKeyIsNoKey() async throws {
        #expect(try await roundTrip(bytes("x"), key: []).key == [])
    }

    @Test func theCallersTimestampIsKept() async throws {
        let destination = KafkaDestination(topic: topic, partition: 0, timestampMs: 1_700_000_000_123)
        let message = try await roundTrip(bytes("x"), key: [], to: destination)
        #expect(message.timestampMs == 1_700_000_000_123)
    }

    @Test func lentBytesAreCopiedBeforeTheCallReturns() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers, ["linger.ms": "50"])
        cluster.createTopic(topic, partitions: 1)
        var payload = bytes("before")
        try payload.withUnsafeMutableBytes { buffer in
            try producer.produce(.init(buffer), key: .init(start: nil, count: 0), to: topic) { _ in }
            for index in buffer.indices { buffer[index] = 0 }
        }
        await producer.close(flushMs: 10_000)

        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        #expect(text(try await reader.read(from: .beginning, count: 1).first?.payload) == "before")
        await reader.consumer.close()
    }

    private func roundTrip(
        _ payload: [UInt8]?,
        key: [UInt8],
        headers: [KafkaHeader] = [],
        to destination: KafkaDestination = KafkaDestination(topic: "events", partition: 0)
    ) async throws -> KafkaMessage {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers)
        try await producer.publish(payload, key: key, headers: headers, to: destination)
        await producer.close(flushMs: 1_000)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        let message = try #require(try await reader.read(from: .beginning, count: 1).first)
        await reader.consumer.close()
        return message
    }
}
