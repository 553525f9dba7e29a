import CRDKafka
import Dispatch

extension KafkaProducer {
    /// Learns where the topic's partitions live, so that the first message need not wait for it.
    ///
    /// Waits up to `waitMs` on a queue of its own. A failure harms nothing: the first message then finds out.
    public func locate(_ topic: String, waitMs: Int) async throws(KafkaError) {
        let error = await withCheckedContinuation { (waiter: CheckedContinuation<KafkaError?, Never>) in
            DispatchQueue(label: "kafka-locate").async { [self] in
                waiter.resume(returning: look(topic, waitMs: Int32(clamping: waitMs)))
            }
        }
        if let error { throw error }
    }

    /// Counts as a message in flight meanwhile, so that the client is not destroyed under it.
    private func look(_ topic: String, waitMs: Int32) -> KafkaError? {
        guard state.enter() else { return KafkaError(RD_KAFKA_RESP_ERR__DESTROY) }
        defer { state.leave() }
        guard let reference = rd_kafka_topic_new(handle.pointer, topic, nil) else {
            return KafkaError(rd_kafka_last_error())
        }
        defer { rd_kafka_topic_destroy(reference) }
        var metadata: UnsafePointer<rd_kafka_metadata>?
        let code = rd_kafka_metadata(handle.pointer, 0, reference, &metadata, waitMs)
        if let metadata { rd_kafka_metadata_destroy(metadata) }
        return KafkaError.from(code)
    }
}
