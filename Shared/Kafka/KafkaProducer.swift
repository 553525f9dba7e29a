import CRDKafka

/// Publishes to Kafka and tells when the broker has stored the message.
///
/// A thin wrapper of one `rd_kafka_t`. It adds ownership, `async` and typed errors, and nothing else:
/// topics, keys, retries and idempotence are the caller's business.
///
/// - Frees: the producer's own thread destroys the client at the end of `close`. Releasing the last
///   reference without `close` does the same in the background, without flushing.
/// - Threads: every method may be called from any thread. Completions run on the producer's thread, one
///   after another: they hand over and return, since while one runs no other is delivered.
/// - Copies: payload, key and headers are copied before `produce` returns.
/// - Blocks: nothing on the caller's thread. A full queue (`queue.buffering.max.messages`, `.kbytes`)
///   throws at once. `publish` waits at most `message.timeout.ms`; cancelling its task does not shorten
///   that, because the message may be stored all the same.
/// - Stop: `close` waits at most about `flushMs`, then every message left fails with `_PURGE_QUEUE` (never
///   sent) or `_PURGE_INFLIGHT` (may have been stored). No completion is lost, and none runs after `close`.
/// - Retry: what `KafkaError.isRetriable` says. `isFatal`, or a `fatalError`, ask for a new producer: an
///   idempotent one ends when the broker forgets its numbering.
public final class KafkaProducer: Sendable {
    let handle: ClientHandle
    let state: ProducerState

    /// Settings are librdkafka's; an unknown one is refused.
    public init(settings: [String: String], log: KafkaLogHandler? = nil) throws(KafkaError) {
        let state = ProducerState(log: log)
        let configuration = KafkaConfiguration()
        try configuration.set(settings)
        configuration.setProducerCallbacks()
        self.state = state
        handle = try configuration.makeClient(RD_KAFKA_PRODUCER, context: state)
        startProducerThread(handle, state)
    }

    deinit {
        state.askToClose(flushMs: 0, waiter: nil)
    }

    /// Messages accepted whose completion has not run yet.
    public var queuedMessages: Int { state.inFlightCount }

    /// The error that ended this producer for good; nil while it works.
    public var fatalError: KafkaError? { state.fatalError }

    /// Copies the bytes and returns at once.
    ///
    /// `completion` runs exactly once, on the producer's thread, if and only if this did not throw. An empty
    /// key counts as none: the partition is then chosen at random.
    public func produce(
        _ payload: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        headers: [KafkaHeader] = [],
        to topic: String,
        completion: @escaping @Sendable (KafkaError?) -> Void
    ) throws(KafkaError) {
        let record = Record(payload: payload, key: key, headers: headers, topic: topic)
        try produce(record, completion: completion)
    }

    /// Copies the bytes and returns at once; a nil payload is a tombstone.
    public func produce(
        _ payload: [UInt8]?,
        key: [UInt8],
        headers: [KafkaHeader] = [],
        to topic: String,
        completion: @escaping @Sendable (KafkaError?) -> Void
    ) throws(KafkaError) {
        try produce(
            payload,
            key: key,
            headers: headers,
            to: KafkaDestination(topic: topic),
            completion: completion
        )
    }

    /// Copies the bytes and returns at once, with the partition or the timestamp chosen by the caller.
    public func produce(
        _ payload: [UInt8]?,
        key: [UInt8],
        headers: [KafkaHeader] = [],
        to destination: KafkaDestination,
        completion: @escaping @Sendable (KafkaError?) -> Void
    ) throws(KafkaError) {
        try key.withUnsafeBufferPointer { keyBytes throws(KafkaError) in
            let topic = destination.topic
            var record = Record(payload: nil, key: .init(keyBytes), headers: headers, topic: topic)
            record.partition = destination.partition
            record.timestampMs = destination.timestampMs
            guard let payload else { return try produce(record, completion: completion) }
            try payload.withUnsafeBufferPointer { payloadBytes throws(KafkaError) in
                record.payload = .init(payloadBytes)
                try produce(record, completion: completion)
            }
        }
    }

    /// Returns once the broker has stored the message, as the setting `acks` means it.
    public func publish(
        _ payload: [UInt8]?,
        key: [UInt8],
        headers: [KafkaHeader] = [],
        to topic: String
    ) async throws(KafkaError) {
        try await publish(payload, key: key, headers: headers, to: KafkaDestination(topic: topic))
    }

    /// Returns once the broker has stored the message, with the partition or the timestamp chosen by the caller.
    public func publish(
        _ payload: [UInt8]?,
        key: [UInt8],
        headers: [KafkaHeader] = [],
        to destination: KafkaDestination
    ) async throws(KafkaError) {
        let error = await withCheckedContinuation { (waiter: CheckedContinuation<KafkaError?, Never>) in
            do throws(KafkaError) {
                try produce(payload, key: key, headers: headers, to: destination) {
                    waiter.resume(returning: $0)
                }
            } catch {
                waiter.resume(returning: error)
            }
        }
        if let error { throw error }
    }

    /// Sends what is queued, for `flushMs` at most; fails the rest, stops the thread and frees the client.
    ///
    /// Any number of callers may wait; the first one's `flushMs` counts.
    public func close(flushMs: Int) async {
        await withCheckedContinuation { state.askToClose(flushMs: flushMs, waiter: $0) }
    }

    private func produce(
        _ record: Record,
        completion: @escaping @Sendable (KafkaError?) -> Void
    ) throws(KafkaError) {
        guard state.enter() else { throw .closed }
        let opaque = Delivery(completion).retained()
        guard let error = record.enqueue(on: handle.pointer, opaque: opaque) else { return }
        // Refused: no delivery report will come, so the reference is ours to take back.
        _ = Delivery.taking(opaque)
        if error.isFatal { state.recordFatal(.fatal(of: handle.pointer)) }
        state.leave()
        throw error
    }
}
