import CRDKafka

/// Reads topics as a member of a group, from offsets its caller keeps.
///
/// A rebalance comes out of `poll` as an event, and the group waits for the answer: after `.assigned` load
/// the offsets and call `assign`, after `.revoked` finish or drop the work at hand and call `unassign`.
/// Heartbeats continue meanwhile, so taking seconds is fine. The limit between two calls of `poll` or
/// `keepAlive` is `max.poll.interval.ms`: beyond it the partitions go to somebody else, and the next `poll`
/// returns an error and `.revoked`.
///
/// - Frees: `close` leaves the group and destroys the client. Releasing the last reference without `close`
///   does the same in the background.
/// - Threads: an actor on a queue of its own, so its blocking never holds a thread of Swift's pool. Callbacks
///   run inside its own calls; only the log handler is called from librdkafka's threads.
/// - Copies: messages are copied and C's are freed before `poll` returns.
/// - Blocks: `poll` for `waitMs`; `seek`, `committed` and `watermarks` for `requestMs`; `close` for about
///   `session.timeout.ms` if the broker does not answer, otherwise milliseconds. Calls run one after another:
///   a `close` waits for the `poll` before it.
/// - Stop: calls after `close` throw `_DESTROY`; messages fetched but not handed out are dropped.
/// - Retry: librdkafka retries by itself. `.error` events are for the log, unless `isFatal`.
///
/// Offsets are never stored or committed by themselves. A start offset that the broker no longer has begins
/// at the oldest message (`auto.offset.reset`): the caller sees the gap in the first message's offset. Only
/// the eager protocol is supported.
public actor KafkaConsumer {
    private let executor: QueueExecutor
    private let handle: ClientHandle
    private let state: ConsumerState
    private var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Settings are librdkafka's; `group.id` is needed even to read without a group.
    public init(settings: [String: String], log: KafkaLogHandler? = nil) throws(KafkaError) {
        try Self.refuseUnsupported(settings)
        let state = ConsumerState(log: log)
        let configuration = KafkaConfiguration()
        try configuration.set(Self.defaults)
        try configuration.set(settings)
        configuration.setConsumerCallbacks()
        configuration.paceFetches()
        self.state = state
        executor = QueueExecutor(label: "kafka-consumer")
        handle = try configuration.makeClient(RD_KAFKA_CONSUMER, context: state)
        // Errors and commit results then come through the same queue as messages.
        rd_kafka_poll_set_consumer(handle.pointer)
    }

    deinit {
        guard !isClosed else { return }
        executor.async { [handle, state] in leave(handle, state) }
    }

    /// Joins the group for these topics; partitions follow as events of `poll`.
    public func subscribe(_ topics: [String]) throws(KafkaError) {
        try requireOpen()
        let list = PartitionList(
            topics.map { KafkaTopicPartition(topic: $0, partition: RD_KAFKA_PARTITION_UA) }
        )
        try check(rd_kafka_subscribe(handle.pointer, list.pointer))
    }

    /// Waits up to `waitMs` for the first message or event, then takes what is there.
    ///
    /// It stops at `messagesMax`, at the message that reaches `bytesMax` (keys and payloads), or at an event.
    /// Nothing at all is an empty array.
    public func poll(
        messagesMax: Int,
        bytesMax: Int,
        waitMs: Int
    ) throws(KafkaError) -> [KafkaConsumerEvent] {
        try requireOpen()
        var messages: [KafkaMessage] = []
        var events: [KafkaConsumerEvent] = []
        var byteCount = 0
        var names = TopicName()
        repeat {
            let pollMs = messages.isEmpty ? Int32(clamping: max(0, waitMs)) : 0
            let polled = rd_kafka_consumer_poll(handle.pointer, pollMs)
            events = state.takeEvents()
            guard let polled else { break }
            defer { rd_kafka_message_destroy(polled) }
            guard polled.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
                events.append(.error(consumerError(polled)))
                break
            }
            let message = KafkaMessage(copying: polled, topic: names.name(of: polled.pointee.rkt))
            byteCount += message.byteCount
            messages.append(message)
        } while events.isEmpty && messages.count < messagesMax && byteCount < bytesMax
        return messages.isEmpty ? events : [.messages(messages)] + events
    }

    /// Resets the clock of `max.poll.interval.ms` without reading.
    ///
    /// For a caller that must hold its partitions while it waits for something else, such as its database.
    /// Rebalances are not seen meanwhile, so the group waits for this member: go back to `poll` before long.
    public func keepAlive() throws(KafkaError) {
        try requireOpen()
        guard let queue = rd_kafka_queue_get_consumer(handle.pointer) else { return }
        defer { rd_kafka_queue_destroy(queue) }
        // Room for no message: it only notes that the application polled.
        var none: UnsafeMutablePointer<rd_kafka_message_t>?
        _ = rd_kafka_consume_batch_queue(queue, 0, &none, 0)
    }

    /// Starts reading at exactly these offsets, in place of whatever was assigned before.
    ///
    /// The answer to `.assigned`; or, without `subscribe`, reading by hand.
    public func assign(_ offsets: [(KafkaTopicPartition, KafkaOffset)]) throws(KafkaError) {
        try requireOpen()
        let list = PartitionList(offsets.map { ($0.0, $0.1.rawValue) })
        try check(rd_kafka_assign(handle.pointer, list.pointer))
    }

    /// Stops reading; the answer to `.revoked`.
    public func unassign() throws(KafkaError) {
        try requireOpen()
        try check(rd_kafka_assign(handle.pointer, nil))
    }

    /// Continues an assigned partition elsewhere; nothing fetched from the old place comes out after it.
    public func seek(
        _ partition: KafkaTopicPartition,
        to offset: KafkaOffset,
        requestMs: Int = 10_000
    ) throws(KafkaError) {
        try requireOpen()
        let list = PartitionList([(partition, offset.rawValue)])
        if let error = rd_kafka_seek_partitions(handle.pointer, list.pointer, Int32(clamping: requestMs)) {
            throw KafkaError(taking: error)
        }
        try list.checkEach()
    }

    /// Stops fetching these partitions and keeps them.
    public func pause(_ partitions: [KafkaTopicPartition]) throws(KafkaError) {
        try requireOpen()
        let list = PartitionList(partitions)
        try check(rd_kafka_pause_partitions(handle.pointer, list.pointer))
        try list.checkEach()
    }

    /// Fetches these partitions again, from where they stopped.
    public func resume(_ partitions: [KafkaTopicPartition]) throws(KafkaError) {
        try requireOpen()
        let list = PartitionList(partitions)
        try check(rd_kafka_resume_partitions(handle.pointer, list.pointer))
        try list.checkEach()
    }

    /// Sends offsets to the broker without waiting, for tools that show lag.
    ///
    /// An offset is that of the next message to read. A refusal by the broker comes out of `poll` as an error.
    public func commit(_ offsets: [(KafkaTopicPartition, Int64)]) throws(KafkaError) {
        try requireOpen()
        guard !offsets.isEmpty else { return }
        let list = PartitionList(offsets)
        try check(rd_kafka_commit(handle.pointer, list.pointer, 1))
    }

    /// What the group has committed; partitions without a commit are left out.
    public func committed(
        _ partitions: [KafkaTopicPartition],
        requestMs: Int = 10_000
    ) throws(KafkaError) -> [KafkaTopicPartition: Int64] {
        try requireOpen()
        let list = PartitionList(partitions)
        try check(rd_kafka_committed(handle.pointer, list.pointer, Int32(clamping: requestMs)))
        try list.checkEach()
        return Dictionary(list.offsets().filter { $0.1 >= 0 }, uniquingKeysWith: { first, _ in first })
    }

    /// The oldest offset still kept, and the offset of the next message to come.
    public func watermarks(
        of partition: KafkaTopicPartition,
        requestMs: Int = 10_000
    ) throws(KafkaError) -> (low: Int64, high: Int64) {
        try requireOpen()
        return try queryWatermarks(of: partition, client: handle.pointer, requestMs: requestMs)
    }

    /// Leaves the group, after the commits under way, and frees the client.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        leave(handle, state)
    }

    private func requireOpen() throws(KafkaError) {
        if isClosed { throw .closed }
    }

    /// librdkafka's own defaults would commit what was not stored, and skip to the end of a partition whose
    /// start offset is gone.
    private static let defaults = [
        "auto.offset.reset": "earliest",
        "enable.auto.commit": "false",
        "enable.auto.offset.store": "false",
    ]

    /// An incremental rebalance would need other answers than `assign` and `unassign`.
    private static func refuseUnsupported(_ settings: [String: String]) throws(KafkaError) {
        if settings["group.id", default: ""].isEmpty { throw KafkaError(refused: "group.id is required") }
        if settings["partition.assignment.strategy", default: ""].contains("cooperative") {
            throw KafkaError(refused: "partition.assignment.strategy: cooperative is not supported")
        }
    }
}

/// Blocks until the group is left: for consumers' queues only.
private func leave(_ handle: ClientHandle, _ state: ConsumerState) {
    state.beginClosing()
    // Answers a rebalance that the caller left open.
    rd_kafka_assign(handle.pointer, nil)
    rd_kafka_consumer_close(handle.pointer)
    handle.destroy()
}

private func consumerError(_ message: UnsafeMutablePointer<rd_kafka_message_t>) -> KafkaError {
    KafkaError(message.pointee.err, reason: rd_kafka_message_errstr(message).map { String(cString: $0) })
}

/// Remembers the last topic, so that a run of messages shares one string.
private struct TopicName {
    private var topic: OpaquePointer?
    private var name = ""

    mutating func name(of topic: OpaquePointer?) -> String {
        guard let topic, topic != self.topic else { return name }
        self.topic = topic
        name = String(cString: rd_kafka_topic_name(topic))
        return name
    }
}
