import Kafka
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProducerCloseTests {
    @Test func closeFailsTheWaitersThatCouldNotBeServed() async throws {
        let producer = try KafkaProducer.connected(to: ProducerFailureTests.nobody)
        let publishing = Task { try await producer.publish(bytes("x"), key: bytes("k"), to: "events") }
        while producer.queuedMessages == 0 { await Task.yield() }

        await producer.close(flushMs: 0)

        let error = await #expect(throws: KafkaError.self) { try await publishing.value }
        #expect(error?.name == "_PURGE_QUEUE")
        #expect(error?.isRetriable == true)
    }

    @Test func closeSendsWhatIsQueued() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers, ["linger.ms": "60000"])
        let outcomes = Outcomes()
        for index in 0..<100 {
            try producer.produce(bytes("\(index)"), key: bytes("k"), to: "events") { outcomes.add($0) }
        }
        await producer.close(flushMs: 30_000)
        #expect(outcomes.all.count == 100)
        #expect(outcomes.all.allSatisfy { $0 == nil })
    }

    @Test func produceAfterCloseThrows() async throws {
        let producer = try KafkaProducer.connected(to: ProducerFailureTests.nobody)
        await producer.close(flushMs: 0)
        let error = #expect(throws: KafkaError.self) {
            try producer.produce(bytes("x"), key: bytes("k"), to: "events") { _ in }
        }
        #expect(error?.name == "_DESTROY")
    }

    @Test func everyCallerOfCloseReturns() async throws {
        let producer = try KafkaProducer.connected(to: ProducerFailureTests.nobody)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await producer.close(flushMs: 10) } }
        }
        await producer.close(flushMs: 10)
        #expect(producer.queuedMessages == 0)
    }

    /// Producing threads race the close: each message is either refused or completed, never both or neither.
    @Test func closeLosesNoCompletionOfConcurrentProducers() async throws {
        let cluster = try MockCluster()
        let producer = try KafkaProducer.connected(to: cluster.servers)
        let completed = Outcomes()
        let accepted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var accepted = 0
                    while (try? producer.produce([1], key: [1], to: "events") { completed.add($0) }) != nil {
                        accepted += 1
                        if accepted % 100 == 0 { await Task.yield() }
                    }
                    return accepted
                }
            }
            while completed.all.count + producer.queuedMessages < 1_000 { await Task.yield() }
            await producer.close(flushMs: 10)
            return await group.reduce(0, +)
        }
        #expect(completed.all.count == accepted)
    }

    @Test func releasingAProducerFailsItsMessages() async throws {
        let error: KafkaError? = try await withCheckedThrowingContinuation { continuation in
            do {
                let producer = try KafkaProducer.connected(to: ProducerFailureTests.nobody)
                try producer.produce([1], key: [1], to: "events") { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(error?.name == "_PURGE_QUEUE")
    }
}
