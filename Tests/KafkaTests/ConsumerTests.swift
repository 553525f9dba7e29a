import CRDKafka
import Kafka
import Testing

/// What a consumer does with its offsets and its group, on the mock broker.
@Suite(.timeLimit(.minutes(1))) struct ConsumerTests {
    let topic = "events"

    @Test func readingStartsAtTheGivenOffset() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 10)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        let messages = try await reader.read(from: .at(7), count: 3)
        #expect(messages.map(\.offset) == [7, 8, 9])
        await reader.consumer.close()
    }

    @Test func anOffsetThatDoesNotExistBeginsAtTheOldestMessage() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 3)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        #expect(try await reader.read(from: .at(1_000), count: 3).map(\.offset) == [0, 1, 2])
        await reader.consumer.close()
    }

    @Test func pollStopsAtTheGivenNumberOfMessages() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 10)
        let consumer = try Member(servers: cluster.servers, topic: topic, group: "g").consumer
        try await consumer.assign([(KafkaTopicPartition(topic: topic, partition: 0), .beginning)])
        #expect(try await greatest(of: consumer, messagesMax: 4, bytesMax: 1_000) == 4)
        await consumer.close()
    }

    @Test func pollStopsAtTheMessageThatReachesTheBytes() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 10)
        let consumer = try Member(servers: cluster.servers, topic: topic, group: "g").consumer
        try await consumer.assign([(KafkaTopicPartition(topic: topic, partition: 0), .beginning)])
        // Each message has a key of one byte and a payload of one.
        #expect(try await greatest(of: consumer, messagesMax: 10, bytesMax: 5) == 3)
        await consumer.close()
    }

    @Test func seekContinuesElsewhere() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 10)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        _ = try await reader.read(from: .beginning, count: 10)
        try await reader.consumer.seek(KafkaTopicPartition(topic: topic, partition: 0), to: .at(8))
        #expect(try await reader.collect(12).suffix(2).map(\.offset) == [8, 9])
        await reader.consumer.close()
    }

    @Test func aPausedPartitionWaitsUntilItIsResumed() async throws {
        let cluster = try MockCluster()
        cluster.createTopic(topic, partitions: 2)
        try await fill(cluster.servers, count: 1, partition: 0)
        let paused = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await reader.consumer.assign(
            [(paused, .beginning), (KafkaTopicPartition(topic: topic, partition: 1), .beginning)]
        )
        try await reader.consumer.pause([paused])
        try await fill(cluster.servers, count: 1, partition: 1)
        #expect(try await reader.collect(1).map(\.partition) == [1])
        try await reader.consumer.resume([paused])
        #expect(try await reader.collect(2).map(\.partition) == [1, 0])
        await reader.consumer.close()
    }

    @Test func aCommitIsVisibleToTheGroup() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 3)
        let partition = KafkaTopicPartition(topic: topic, partition: 0)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await reader.consumer.subscribe([topic])
        _ = try await reader.collect(3)
        #expect(try await reader.consumer.committed([partition]).isEmpty)
        try await reader.consumer.commit([(partition, 3)])
        while try await reader.consumer.committed([partition]).isEmpty { try await reader.step() }
        #expect(try await reader.consumer.committed([partition]) == [partition: 3])
        await reader.consumer.close()
    }

    @Test func aRefusedCommitComesOutOfPoll() async throws {
        let cluster = try MockCluster()
        try await fill(cluster.servers, count: 1)
        let reader = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await reader.consumer.subscribe([topic])
        _ = try await reader.collect(1)
        cluster.fail(.offsetCommit, with: [RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE])
        try await reader.consumer.commit([(KafkaTopicPartition(topic: topic, partition: 0), 1)])
        while reader.errors.isEmpty { try await reader.step() }
        #expect(reader.errors.map(\.name) == ["OFFSET_METADATA_TOO_LARGE"])
        await reader.consumer.close()
    }

    @Test func theGroupGivesASingleMemberEverything() async throws {
        let cluster = try MockCluster()
        cluster.createTopic(topic, partitions: 4)
        let member = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await member.consumer.subscribe([topic])
        while member.owned.isEmpty { try await member.step() }
        #expect(member.owned == [0, 1, 2, 3])
        await member.consumer.close()
    }

    @Test func closeDoesNotWaitForAnAnswerToTheGroup() async throws {
        let cluster = try MockCluster()
        cluster.createTopic(topic, partitions: 1)
        let member = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await member.consumer.subscribe([topic])
        var isAsked = false
        while !isAsked {
            for case .assigned in try await member.poll() { isAsked = true }
        }
        await member.consumer.close()
        await #expect(throws: KafkaError.self) { try await member.consumer.unassign() }
    }

    @Test func closeReturnsAlthoughTheBrokerIsGone() async throws {
        let member = try await memberWhoseBrokerIsGone()
        await member.consumer.close()
        await #expect(throws: KafkaError.self) { try await member.consumer.unassign() }
    }

    @Test func callsAfterCloseThrow() async throws {
        let cluster = try MockCluster()
        let consumer = try Member(servers: cluster.servers, topic: topic, group: "g").consumer
        await consumer.close()
        await consumer.close()
        await #expect(throws: KafkaError.self) {
            try await consumer.poll(messagesMax: 1, bytesMax: 1, waitMs: 0)
        }
    }

    @Test(arguments: [
        [:], ["group.id": "g", "no.such": "1"],
        ["group.id": "g", "partition.assignment.strategy": "cooperative-sticky"],
    ])
    func settingsThatCannotWorkAreRefused(_ settings: [String: String]) {
        #expect(throws: KafkaError.self) { try KafkaConsumer(settings: settings) }
    }

    private func memberWhoseBrokerIsGone() async throws -> Member {
        let cluster = try MockCluster()
        cluster.createTopic(topic, partitions: 1)
        let member = try Member(servers: cluster.servers, topic: topic, group: "g")
        try await member.consumer.subscribe([topic])
        while member.owned.isEmpty { try await member.step() }
        return member
    }

    /// One batch, which reaches a reader as a whole: the linger ends only with the flush.
    private func fill(_ servers: String, count: Int, partition: Int32 = 0) async throws {
        let outcomes = Outcomes()
        let producer = try KafkaProducer.connected(to: servers, ["linger.ms": "60000"])
        for index in 0..<count {
            let destination = KafkaDestination(topic: topic, partition: partition)
            try producer.produce([UInt8(index)], key: [1], to: destination) { outcomes.add($0) }
        }
        await producer.close(flushMs: 30_000)
        #expect(outcomes.all.count == count && outcomes.all.allSatisfy { $0 == nil })
    }

    /// How many of ten messages the fullest poll returned, asked only when all of them are at hand.
    ///
    /// What a fetch brings is librdkafka's affair: one poll may find less than there is, never more than its bound.
    private func greatest(
        of consumer: KafkaConsumer,
        messagesMax: Int,
        bytesMax: Int
    ) async throws -> Int {
        var counts: [Int] = []
        while true {
            try Task.checkCancellation()
            for case .messages(let messages) in try await consumer.poll(
                messagesMax: messagesMax,
                bytesMax: bytesMax,
                waitMs: 100
            ) { counts.append(messages.count) }
            guard counts.reduce(0, +) >= 10 else { continue }
            // Fetched one by one there was nothing to bound: read them again.
            if let greatest = counts.max(), greatest >= min(messagesMax, (bytesMax + 1) / 2) {
                return greatest
            }
            counts = []
            try await consumer.seek(KafkaTopicPartition(topic: topic, partition: 0), to: .beginning)
        }
    }
}
