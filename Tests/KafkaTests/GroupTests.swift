import Kafka
import Testing

/// How a member lives with its group, on the broker that `TEST_KAFKA_BROKERS` names.
///
/// The mock broker waits nearly a session's length before each rebalance and drops members while it does.
@Suite(.enabled(if: !testServers.isEmpty), .timeLimit(.minutes(1))) struct GroupTests {
    let topic = unique("kafka-group")
    /// Brokers allow no shorter session.
    static let sessionMs = 6_000
    static let longerThanSession = Duration.milliseconds(7_500)

    @Test func twoMembersShareAndTheSurvivorTakesAll() async throws {
        try await createTopic(partitions: 4)
        let first = try await member()
        while first.owned.count < 4 { try await first.step() }
        let second = try await member()
        while first.owned.count != 2 || second.owned.count != 2 {
            try await first.step()
            try await second.step()
        }
        #expect(first.owned.isDisjoint(with: second.owned))

        await first.consumer.close()
        while second.owned.count < 4 { try await second.step() }
        #expect(second.owned == [0, 1, 2, 3])
        await second.consumer.close()
    }

    @Test func membersReadTheirOwnPartitionsAndTogetherAll() async throws {
        try await createTopic(partitions: 4)
        let first = try await member()
        let second = try await member()
        while first.owned.count != 2 || second.owned.count != 2 {
            try await first.step()
            try await second.step()
        }
        for partition in Int32(0)..<4 { try await publishMarker(partition: partition) }
        while first.messages.count < 2 || second.messages.count < 2 {
            try await first.step()
            try await second.step()
        }
        #expect(Set(first.messages.map(\.partition)) == first.owned)
        #expect(Set(second.messages.map(\.partition)) == second.owned)
        await first.consumer.close()
        await second.consumer.close()
    }

    /// Waiting is how the situation is made; what is checked is the message that comes next.
    @Test func answeringLaterThanTheSessionKeepsTheMembership() async throws {
        try await createTopic(partitions: 1)
        let member = try await member()
        var given: [KafkaTopicPartition] = []
        while given.isEmpty {
            for case .assigned(let partitions) in try await member.poll() { given = partitions }
        }
        try await Task.sleep(for: Self.longerThanSession)

        try await member.consumer.assign(given.map { ($0, .beginning) })
        try await publishMarker()
        #expect(try await member.collect(1).count == 1)
        #expect(member.rebalances == 0)
        #expect(member.errors.isEmpty)
        await member.consumer.close()
    }

    @Test func keepAliveHoldsThePartitionsOfABusyMember() async throws {
        try await createTopic(partitions: 1)
        let member = try await member(["max.poll.interval.ms": "\(Self.sessionMs)"])
        while member.owned.isEmpty { try await member.step() }
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(Self.sessionMs / 2))
            try await member.consumer.keepAlive()
        }
        try await publishMarker()
        #expect(try await member.collect(1).count == 1)
        #expect(member.rebalances == 1)
        #expect(member.errors.isEmpty)
        await member.consumer.close()
    }

    @Test func aMemberThatDoesNotPollHearsThatItLostItsPartitionsAndGetsThemBack() async throws {
        try await createTopic(partitions: 1)
        let member = try await member(["max.poll.interval.ms": "\(Self.sessionMs)"])
        while member.owned.isEmpty { try await member.step() }
        try await Task.sleep(for: Self.longerThanSession)
        while member.rebalances < 3 { try await member.step() }
        #expect(member.errors.map(\.name) == ["_MAX_POLL_EXCEEDED"])
        #expect(member.owned == [0])
        await member.consumer.close()
    }

    /// The other member gets the partition only when the released one has left.
    @Test func releasingAConsumerLeavesTheGroup() async throws {
        try await createTopic(partitions: 1)
        try await joinAndForget()
        let second = try await member()
        while second.owned.isEmpty { try await second.step() }
        #expect(second.owned == [0])
        await second.consumer.close()
    }

    private func createTopic(partitions: Int) async throws {
        let admin = try KafkaAdmin(settings: ["bootstrap.servers": testServers])
        _ = try await admin.createTopics([KafkaTopicSpecification(name: topic, partitions: partitions)])
    }

    private func member(_ more: [String: String] = [:]) async throws -> Member {
        let settings = ["session.timeout.ms": "\(Self.sessionMs)"].merging(more) { $1 }
        let member = try Member(servers: testServers, topic: topic, group: topic, settings)
        try await member.consumer.subscribe([topic])
        return member
    }

    private func joinAndForget() async throws {
        // Such a session outlives the test's limit, so only leaving frees the partition in time.
        let member = try await member(["session.timeout.ms": "300000", "max.poll.interval.ms": "300000"])
        while member.owned.isEmpty { try await member.step() }
    }

    private func publishMarker(partition: Int32 = 0) async throws {
        let producer = try KafkaProducer.connected(to: testServers)
        try await producer.publish([1], key: [1], to: KafkaDestination(topic: topic, partition: partition))
        await producer.close(flushMs: 1_000)
    }
}
