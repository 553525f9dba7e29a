import CRDKafka

/// Asks the cluster to create topics.
func requestTopics(
    _ topics: [KafkaTopicSpecification],
    of client: OpaquePointer,
    requestMs: Int32
) throws(KafkaError) -> [TopicResult] {
    let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_CREATETOPICS, requestMs: requestMs)
    let list = try NewTopics(topics)
    return try request.answer { options, queue in
        list.withPointers { rd_kafka_CreateTopics(client, $0, topics.count, options, queue) }
    } reading: { event in
        var count = 0
        let result = rd_kafka_event_CreateTopics_result(event)
        return TopicResult.copy(rd_kafka_CreateTopics_result_topics(result, &count), count: count)
    }
}

/// Asks the cluster to raise a topic's number of partitions.
func requestPartitions(
    _ total: Int,
    of topic: String,
    client: OpaquePointer,
    requestMs: Int32
) throws(KafkaError) -> [TopicResult] {
    let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, requestMs: requestMs)
    var message = [CChar](repeating: 0, count: 512)
    var change = rd_kafka_NewPartitions_new(topic, max(0, total), &message, message.count)
    guard change != nil else { throw KafkaError(refused: text(message)) }
    defer { rd_kafka_NewPartitions_destroy(change) }
    return try request.answer { options, queue in
        rd_kafka_CreatePartitions(client, &change, 1, options, queue)
    } reading: { event in
        var count = 0
        let result = rd_kafka_event_CreatePartitions_result(event)
        return TopicResult.copy(rd_kafka_CreatePartitions_result_topics(result, &count), count: count)
    }
}

/// Asks the cluster to delete a topic.
func requestDeletion(
    of topic: String,
    client: OpaquePointer,
    requestMs: Int32
) throws(KafkaError) -> [TopicResult] {
    let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_DELETETOPICS, requestMs: requestMs)
    var deletion = rd_kafka_DeleteTopic_new(topic)
    defer { rd_kafka_DeleteTopic_destroy(deletion) }
    return try request.answer { options, queue in
        rd_kafka_DeleteTopics(client, &deletion, 1, options, queue)
    } reading: { event in
        var count = 0
        let result = rd_kafka_event_DeleteTopics_result(event)
        return TopicResult.copy(rd_kafka_DeleteTopics_result_topics(result, &count), count: count)
    }
}
