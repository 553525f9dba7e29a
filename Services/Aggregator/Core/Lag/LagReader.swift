public import Kafka

/// A topic to measure.
public struct MeasuredTopic: Sendable {
    public let name: String
    /// Used when the broker does not tell.
    public let retentionMs: Int64

    public init(name: String, retentionMs: Int64) {
        (self.name, self.retentionMs) = (name, retentionMs)
    }
}

/// Asks the broker how far its topics reach, and looks at the next message of each partition that lags.
///
/// Reads without a group: nobody's partitions move, nothing is committed.
public actor LagReader {
    private let brokers: String
    private let admin: KafkaAdmin
    /// Made when a partition lags for the first time.
    private var consumer: KafkaConsumer?
    private static let requestMs = 5_000
    private static let peekMs = 3_000
    private static let pollMs = 100

    public init(brokers: String) throws(KafkaError) {
        self.brokers = brokers
        admin = try KafkaAdmin(settings: ["bootstrap.servers": brokers], requestMs: Self.requestMs)
    }

    /// Every partition of a topic, ascending.
    ///
    /// - Parameter stored: next offsets as Postgres has them.
    public func read(_ topic: MeasuredTopic, stored: [Int32: Int64]) async throws -> [PartitionLag] {
        let retentionMs = await retention(of: topic)
        var lags: [PartitionLag] = []
        for partition in try await admin.partitions(of: topic.name) {
            let place = KafkaTopicPartition(topic: topic.name, partition: partition)
            let marks = try await admin.watermarks(of: place)
            lags.append(
                PartitionLag(
                    topic: topic.name,
                    partition: partition,
                    stored: stored[partition],
                    log: (marks.low, marks.high),
                    retentionMs: retentionMs
                )
            )
        }
        let times = await peek(lags.filter { $0.messages > 0 })
        return lags.map { $0.with(oldestUnreadMs: times[$0.partition]) }
    }

    public func close() async {
        await consumer?.close()
        consumer = nil
    }

    private func retention(of topic: MeasuredTopic) async -> Int64? {
        let text = try? await admin.configuration(of: topic.name)["retention.ms"]
        guard let ms = text.flatMap(Int64.init) else { return topic.retentionMs }
        return ms < 0 ? nil : ms
    }

    /// The time of the next message of each of these partitions, as far as it comes in time.
    private func peek(_ lags: [PartitionLag]) async -> [Int32: Int64] {
        guard !lags.isEmpty else { return [:] }
        var found: [Int32: Int64] = [:]
        do {
            let consumer = try consumer ?? makeConsumer()
            self.consumer = consumer
            try await consumer.assign(
                lags.map { (KafkaTopicPartition(topic: $0.topic, partition: $0.partition), .at($0.next)) }
            )
            for _ in 0..<(Self.peekMs / Self.pollMs) where found.count < lags.count {
                let events = try await consumer.poll(
                    messagesMax: 1_000,
                    bytesMax: 1 << 20,
                    waitMs: Self.pollMs
                )
                for case .messages(let messages) in events {
                    for message in messages where message.timestampMs >= 0 && found[message.partition] == nil
                    {
                        found[message.partition] = message.timestampMs
                    }
                }
            }
            try await consumer.unassign()
        } catch {
            // Without times the rest is still worth showing.
        }
        return found
    }

    private func makeConsumer() throws(KafkaError) -> KafkaConsumer {
        try KafkaConsumer(settings: [
            "bootstrap.servers": brokers,
            // Needed by the client; without a subscription nobody joins it.
            "group.id": "foreground-lag",
            // One message of each partition is wanted: the broker sends the first batch, however large it is.
            "fetch.message.max.bytes": "1024",
            "queued.min.messages": "1",
            "queued.max.messages.kbytes": "1024",
        ])
    }
}

extension PartitionLag {
    fileprivate func with(oldestUnreadMs: Int64?) -> PartitionLag {
        PartitionLag(
            topic: topic,
            partition: partition,
            stored: stored,
            log: (logStart, logEnd),
            oldestUnreadMs: oldestUnreadMs,
            retentionMs: retentionMs
        )
    }
}
