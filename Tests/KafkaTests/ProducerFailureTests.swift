import CRDKafka
import Kafka
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProducerFailureTests {
    /// Nobody listens on port 1.
    static let nobody = "127.0.0.1:1"

    @Test func anUnknownSettingIsRefusedByName() {
        let error = #expect(throws: KafkaError.self) { try KafkaProducer(settings: ["no.such": "1"]) }
        #expect(error?.reason.contains("no.such") == true)
        #expect(error?.isRetriable == false)
    }

    @Test func aMessageTooLargeForTheClientIsNotRetriable() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers, ["message.max.bytes": "1000"])
        let error = await #expect(throws: KafkaError.self) {
            try await producer.publish([UInt8](repeating: 65, count: 2_000), key: bytes("k"), to: "events")
        }
        #expect(error?.name == "MSG_SIZE_TOO_LARGE")
        #expect(error?.isRetriable == false)
        #expect(producer.queuedMessages == 0)
        await producer.close(flushMs: 1_000)
    }

    @Test func aMessageTooLargeForTheBrokerIsNotRetriable() async throws {
        let cluster = try MockCluster()
        cluster.fail(.produce, with: [RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE])
        let producer = try KafkaProducer.connected(to: cluster.servers)
        let error = await #expect(throws: KafkaError.self) {
            try await producer.publish(bytes("x"), key: bytes("k"), to: "events")
        }
        #expect(error?.name == "MSG_SIZE_TOO_LARGE")
        #expect(error?.isRetriable == false)
        await producer.close(flushMs: 1_000)
    }

    @Test func librdkafkaRetriesUntilThereAreEnoughReplicas() async throws {
        let cluster = try MockCluster()
        let refusal = RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS
        cluster.fail(.produce, with: [refusal, refusal])
        let producer = try KafkaProducer.connected(to: cluster.servers)
        try await producer.publish(bytes("x"), key: bytes("k"), to: "events")
        await producer.close(flushMs: 1_000)
    }

    @Test func tooFewReplicasWithoutRetriesReachTheCallerAsRetriable() async throws {
        let cluster = try MockCluster()
        cluster.fail(.produce, with: [RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS])
        let producer = try KafkaProducer.connected(to: cluster.servers, ["retries": "0"])
        let error = await #expect(throws: KafkaError.self) {
            try await producer.publish(bytes("x"), key: bytes("k"), to: "events")
        }
        #expect(error?.name == "NOT_ENOUGH_REPLICAS")
        #expect(error?.isRetriable == true)
        await producer.close(flushMs: 1_000)
    }

    @Test func aFullQueueIsRetriableAndRunsNoCompletion() async throws {
        let outcomes = Outcomes()
        let producer = try KafkaProducer.connected(to: Self.nobody, ["queue.buffering.max.messages": "1"])
        try producer.produce(bytes("1"), key: bytes("k"), to: "events") { outcomes.add($0) }
        let error = #expect(throws: KafkaError.self) {
            try producer.produce(bytes("2"), key: bytes("k"), to: "events") { outcomes.add($0) }
        }
        #expect(error?.name == "_QUEUE_FULL")
        #expect(error?.isRetriable == true)
        await producer.close(flushMs: 0)
        #expect(outcomes.all.count == 1)
    }

    @Test func aMessageThatTimesOutIsRetriable() async throws {
        let producer = try KafkaProducer.connected(to: Self.nobody, ["message.timeout.ms": "50"])
        let error = await #expect(throws: KafkaError.self) {
            try await producer.publish(bytes("x"), key: bytes("k"), to: "events")
        }
        #expect(error?.name == "_MSG_TIMED_OUT")
        #expect(error?.isRetriable == true)
        await producer.close(flushMs: 0)
    }

    @Test func brokenIdempotenceShowsAsFatalError() async throws {
        let cluster = try MockCluster()
        cluster.fail(.produce, with: [RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER])
        let producer = try KafkaProducer.connected(to: cluster.servers, ["enable.idempotence": "true"])
        #expect(producer.fatalError == nil)
        await #expect(throws: KafkaError.self) {
            try await producer.publish(bytes("1"), key: bytes("k"), to: "events")
        }
        let error = await #expect(throws: KafkaError.self) {
            try await producer.publish(bytes("2"), key: bytes("k"), to: "events")
        }
        #expect(error?.isFatal == true)
        #expect(producer.fatalError?.name == "OUT_OF_ORDER_SEQUENCE_NUMBER")
        #expect(producer.fatalError?.isFatal == true)
        await producer.close(flushMs: 1_000)
    }

    @Test func theLogHandlerHearsOfAnUnreachableBroker() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let producer = try KafkaProducer(settings: ["bootstrap.servers": Self.nobody]) { _, _, message in
            continuation.yield(message)
        }
        #expect(await lines.first { $0.contains("127.0.0.1:1") } != nil)
        await producer.close(flushMs: 0)
    }
}
