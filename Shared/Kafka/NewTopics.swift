import CRDKafka

/// Sole owner of an array of `rd_kafka_NewTopic_t`.
struct NewTopics: ~Copyable {
    private var pointers: [OpaquePointer?] = []

    init(_ topics: [KafkaTopicSpecification]) throws(KafkaError) {
        pointers.reserveCapacity(topics.count)
        for topic in topics { pointers.append(try Self.make(topic)) }
    }

    deinit {
        for pointer in pointers { rd_kafka_NewTopic_destroy(pointer) }
    }

    borrowing func withPointers(_ body: (UnsafeMutablePointer<OpaquePointer?>?) -> Void) {
        var copy = pointers
        copy.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }

    private static func make(_ topic: KafkaTopicSpecification) throws(KafkaError) -> OpaquePointer {
        var message = [CChar](repeating: 0, count: 512)
        guard
            let pointer = rd_kafka_NewTopic_new(
                topic.name,
                Int32(clamping: topic.partitions),
                Int32(clamping: topic.replication),
                &message,
                message.count
            )
        else { throw KafkaError(refused: text(message)) }
        for (name, value) in topic.configuration.sorted(by: { $0.key < $1.key }) {
            let code = rd_kafka_NewTopic_set_config(pointer, name, value)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                rd_kafka_NewTopic_destroy(pointer)
                throw KafkaError(code)
            }
        }
        return pointer
    }
}
