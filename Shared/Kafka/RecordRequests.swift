import CRDKafka

/// Asks the cluster for the configuration of a topic, defaults included.
func requestConfiguration(
    of topic: String,
    client: OpaquePointer,
    requestMs: Int32
) throws(KafkaError) -> [String: String] {
    let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, requestMs: requestMs)
    var resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic)
    guard resource != nil else { throw KafkaError(refused: "not a topic's name") }
    defer { rd_kafka_ConfigResource_destroy(resource) }
    let result: Result<[String: String], KafkaError> = try request.answer { options, queue in
        rd_kafka_DescribeConfigs(client, &resource, 1, options, queue)
    } reading: { event in
        var count = 0
        let resources = rd_kafka_DescribeConfigs_result_resources(
            rd_kafka_event_DescribeConfigs_result(event),
            &count
        )
        guard count > 0, let first = resources?[0] else { return .success([:]) }
        let code = rd_kafka_ConfigResource_error(first)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return .failure(KafkaError(code)) }
        return .success(entries(of: first))
    }
    return try result.get()
}

private func entries(of resource: OpaquePointer) -> [String: String] {
    var count = 0
    let entries = rd_kafka_ConfigResource_configs(resource, &count)
    var found: [String: String] = [:]
    for index in 0..<count {
        guard let entry = entries?[index], let name = rd_kafka_ConfigEntry_name(entry),
            let value = rd_kafka_ConfigEntry_value(entry)
        else { continue }
        found[String(cString: name)] = String(cString: value)
    }
    return found
}

/// Asks the cluster to forget what lies before these offsets.
func requestDeletion(
    before offsets: [(KafkaTopicPartition, Int64)],
    client: OpaquePointer,
    requestMs: Int32
) throws(KafkaError) {
    let request = try AdminRequest(client, RD_KAFKA_ADMIN_OP_DELETERECORDS, requestMs: requestMs)
    let list = PartitionList(offsets)
    var deletion = rd_kafka_DeleteRecords_new(list.pointer)
    defer { rd_kafka_DeleteRecords_destroy(deletion) }
    let failure: KafkaError? = try request.answer { options, queue in
        rd_kafka_DeleteRecords(client, &deletion, 1, options, queue)
    } reading: { event in
        let result = rd_kafka_event_DeleteRecords_result(event)
        guard let answers = rd_kafka_DeleteRecords_result_offsets(result) else { return nil }
        return (0..<Int(answers.pointee.cnt)).lazy
            .compactMap { KafkaError.from(answers.pointee.elems[$0].err) }.first
    }
    if let failure { throw failure }
}
