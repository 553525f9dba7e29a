import CRDKafka

/// A message as a consumer hands it out; everything in it is a copy.
public struct KafkaMessage: Sendable {
    public let topic: String
    public let partition: Int32
    public let offset: Int64
    /// As the producer or the broker stamped it (the topic's `message.timestamp.type`); -1 if neither did.
    public let timestampMs: Int64
    /// Empty when the message has no key.
    public let key: [UInt8]
    /// Nil is a tombstone.
    public let payload: [UInt8]?
    public let headers: [KafkaHeader]

    /// For tests of what reads messages.
    public init(
        at position: KafkaTopicPartition,
        offset: Int64,
        timestampMs: Int64 = -1,
        key: [UInt8] = [],
        payload: [UInt8]?,
        headers: [KafkaHeader] = []
    ) {
        topic = position.topic
        partition = position.partition
        self.offset = offset
        self.timestampMs = timestampMs
        self.key = key
        self.payload = payload
        self.headers = headers
    }

    /// Copies out of `message`, which stays C's to free.
    init(copying message: UnsafePointer<rd_kafka_message_t>, topic: String) {
        self.topic = topic
        partition = message.pointee.partition
        offset = message.pointee.offset
        timestampMs = rd_kafka_message_timestamp(message, nil)
        key = bytes(message.pointee.key, message.pointee.key_len) ?? []
        payload = bytes(message.pointee.payload, message.pointee.len)
        headers = copyHeaders(of: message)
    }

    /// What counts against `bytesMax`.
    var byteCount: Int { key.count + (payload?.count ?? 0) }
}

private func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    start.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) }
}

private func copyHeaders(of message: UnsafePointer<rd_kafka_message_t>) -> [KafkaHeader] {
    var list: OpaquePointer?
    guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
    return (0..<rd_kafka_header_cnt(list)).compactMap { index in
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        guard
            rd_kafka_header_get_all(list, index, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR,
            let name
        else { return nil }
        return KafkaHeader(name: String(cString: name), value: bytes(value, count) ?? [])
    }
}
