import CRDKafka

/// Sole owner of a `rd_kafka_topic_partition_list_t`.
struct PartitionList: ~Copyable {
    let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

    init(_ partitions: [KafkaTopicPartition]) {
        self.init(partitions.map { ($0, Int64(RD_KAFKA_OFFSET_INVALID)) })
    }

    init(_ offsets: [(KafkaTopicPartition, Int64)]) {
        pointer = rd_kafka_topic_partition_list_new(Int32(offsets.count))
        for (partition, offset) in offsets {
            let entry = rd_kafka_topic_partition_list_add(pointer, partition.topic, partition.partition)
            entry?.pointee.offset = offset
        }
    }

    deinit {
        rd_kafka_topic_partition_list_destroy(pointer)
    }

    borrowing func offsets() -> [(KafkaTopicPartition, Int64)] {
        partitionOffsets(pointer)
    }

    /// Calls that answer per partition leave the answer in the list: the first failure is thrown.
    borrowing func checkEach() throws(KafkaError) {
        for index in 0..<Int(pointer.pointee.cnt) { try check(pointer.pointee.elems[index].err) }
    }
}

/// Copies a list that belongs to somebody else.
func partitionOffsets(
    _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
) -> [(KafkaTopicPartition, Int64)] {
    (0..<Int(list.pointee.cnt)).map { index in
        let entry = list.pointee.elems[index]
        let partition = KafkaTopicPartition(topic: String(cString: entry.topic), partition: entry.partition)
        return (partition, entry.offset)
    }
}
