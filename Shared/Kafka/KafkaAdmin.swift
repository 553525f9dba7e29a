import CRDKafka

/// Creates topics and asks brokers about them.
///
/// - Frees: the last reference destroys the client, in the background.
/// - Threads: an actor on a queue of its own; it may be called from anywhere, and only the log handler is
///   called from librdkafka's threads.
/// - Copies: every answer, before it returns.
/// - Blocks: each call for `requestMs` and a second at most, its own queue only; `offsets(of:atOrAfterMs:)`
///   asks several times.
/// - Stop: there is nothing to stop. A call under way keeps the actor alive and ends by itself.
/// - Retry: what `KafkaError.isRetriable` says. All calls may be repeated: creating twice is `alreadyExists`.
public actor KafkaAdmin {
    private let executor: QueueExecutor
    private let handle: ClientHandle
    private let requestMs: Int32

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    public init(
        settings: [String: String],
        requestMs: Int = 10_000,
        log: KafkaLogHandler? = nil
    ) throws(KafkaError) {
        let context = AdminContext(log: log)
        let configuration = KafkaConfiguration()
        try configuration.set(settings)
        configuration.onLog { client, level, facility, message in
            guard let client, let opaque = rd_kafka_opaque(client) else { return }
            let context = Unmanaged<AdminContext>.fromOpaque(opaque).takeUnretainedValue()
            forward(level: level, facility: facility, message: message, to: context.log)
        }
        executor = QueueExecutor(label: "kafka-admin")
        self.requestMs = Int32(clamping: requestMs)
        // A consumer, because a producer's metadata request may create the topic it asks about.
        handle = try configuration.makeClient(RD_KAFKA_CONSUMER, context: context)
    }

    deinit {
        // Destroying waits for librdkafka's threads, so it happens where waiting is allowed.
        executor.async { [handle] in handle.destroy() }
    }

    /// Creates what is missing; throws the first refusal that is not "already exists".
    public func createTopics(
        _ topics: [KafkaTopicSpecification]
    ) throws(KafkaError) -> [String: KafkaTopicOutcome] {
        guard !topics.isEmpty else { return [:] }
        var outcomes: [String: KafkaTopicOutcome] = [:]
        for result in try requestTopics(topics, of: handle.pointer, requestMs: requestMs) {
            switch result.code {
            case RD_KAFKA_RESP_ERR_NO_ERROR: outcomes[result.name] = .created
            case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: outcomes[result.name] = .alreadyExists
            default: throw result.error
            }
        }
        return outcomes
    }

    /// Raises the number of partitions to `total`; keys will then fall on other partitions than before.
    public func addPartitions(to topic: String, total: Int) throws(KafkaError) {
        try requireSuccess(
            requestPartitions(total, of: topic, client: handle.pointer, requestMs: requestMs)
        )
    }

    /// Deletes a topic with everything in it.
    public func deleteTopic(_ topic: String) throws(KafkaError) {
        try requireSuccess(requestDeletion(of: topic, client: handle.pointer, requestMs: requestMs))
    }

    /// Every setting of a topic with its value, defaults included, such as `retention.ms`.
    public func configuration(of topic: String) throws(KafkaError) -> [String: String] {
        try requestConfiguration(of: topic, client: handle.pointer, requestMs: requestMs)
    }

    /// Makes the broker forget what lies before these offsets, as retention does.
    public func deleteRecords(before offsets: [(KafkaTopicPartition, Int64)]) throws(KafkaError) {
        guard !offsets.isEmpty else { return }
        try requestDeletion(before: offsets, client: handle.pointer, requestMs: requestMs)
    }

    /// The numbers of a topic's partitions, ascending; an unknown topic throws `UNKNOWN_TOPIC_OR_PART`.
    public func partitions(of topic: String) throws(KafkaError) -> [Int32] {
        guard let reference = rd_kafka_topic_new(handle.pointer, topic, nil) else {
            throw KafkaError(rd_kafka_last_error())
        }
        defer { rd_kafka_topic_destroy(reference) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        try check(rd_kafka_metadata(handle.pointer, 0, reference, &metadata, requestMs))
        guard let metadata else { return [] }
        defer { rd_kafka_metadata_destroy(metadata) }
        guard metadata.pointee.topic_cnt > 0 else {
            throw KafkaError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        }
        let found = metadata.pointee.topics[0]
        try check(found.err)
        return (0..<Int(found.partition_cnt)).map { found.partitions[$0].id }.sorted()
    }

    /// The oldest offset still kept, and the offset of the next message to come.
    public func watermarks(
        of partition: KafkaTopicPartition
    ) throws(KafkaError) -> (low: Int64, high: Int64) {
        try queryWatermarks(of: partition, client: handle.pointer, requestMs: Int(requestMs))
    }

    /// The first offset whose message is that late, for every partition; its end if there is none.
    public func offsets(of topic: String, atOrAfterMs: Int64) throws(KafkaError) -> [Int32: Int64] {
        let partitions = try partitions(of: topic)
        // Ends first: a message that arrives between the two questions is then found by its time.
        var offsets: [Int32: Int64] = [:]
        for partition in partitions {
            offsets[partition] = try watermarks(of: .init(topic: topic, partition: partition)).high
        }
        let list = PartitionList(partitions.map { (.init(topic: topic, partition: $0), atOrAfterMs) })
        try check(rd_kafka_offsets_for_times(handle.pointer, list.pointer, requestMs))
        try list.checkEach()
        for (partition, offset) in list.offsets() where offset >= 0 { offsets[partition.partition] = offset }
        return offsets
    }
}

/// Asks the leader of one partition.
func queryWatermarks(
    of partition: KafkaTopicPartition,
    client: OpaquePointer,
    requestMs: Int
) throws(KafkaError) -> (low: Int64, high: Int64) {
    var low: Int64 = 0
    var high: Int64 = 0
    try check(
        rd_kafka_query_watermark_offsets(
            client,
            partition.topic,
            partition.partition,
            &low,
            &high,
            Int32(clamping: requestMs)
        )
    )
    return (low, high)
}

private func requireSuccess(_ results: [TopicResult]) throws(KafkaError) {
    for result in results where result.code != RD_KAFKA_RESP_ERR_NO_ERROR { throw result.error }
}

/// What the log callback finds.
private final class AdminContext: Sendable {
    let log: KafkaLogHandler?

    init(log: KafkaLogHandler?) { self.log = log }
}
