import CRDKafka

/// One message on its way into C; its pointers are lent for the call only.
struct Record {
    /// Nil is a tombstone; no bytes are an empty payload.
    var payload: UnsafeRawBufferPointer?
    let key: UnsafeRawBufferPointer
    let headers: [KafkaHeader]
    let topic: String
    var partition: Int32?
    var timestampMs: Int64?

    init(
        payload: UnsafeRawBufferPointer?,
        key: UnsafeRawBufferPointer,
        headers: [KafkaHeader],
        topic: String
    ) {
        self.payload = payload
        self.key = key
        self.headers = headers
        self.topic = topic
    }

    /// Hands a copy to librdkafka, which then owns `opaque` until the delivery report; nil is success.
    func enqueue(on client: OpaquePointer, opaque: UnsafeMutableRawPointer) -> KafkaError? {
        let list = headerList()
        let error = topic.withCString { topicChars in
            withUnsafeTemporaryAllocation(of: rd_kafka_vu_t.self, capacity: 8) { fields in
                fields.initialize(repeating: rd_kafka_vu_t())
                let count = fill(fields, topic: topicChars, headers: list, opaque: opaque)
                return rd_kafka_produceva(client, fields.baseAddress, count)
            }
        }
        guard let error else { return nil }
        // librdkafka takes the headers over only when it takes the message.
        if let list { rd_kafka_headers_destroy(list) }
        return KafkaError(taking: error)
    }

    /// Writes one field for each thing said about the message, and answers how many.
    private func fill(
        _ fields: UnsafeMutableBufferPointer<rd_kafka_vu_t>,
        topic: UnsafePointer<CChar>,
        headers: OpaquePointer?,
        opaque: UnsafeMutableRawPointer
    ) -> Int {
        fields[0].vtype = RD_KAFKA_VTYPE_TOPIC
        fields[0].u.cstr = topic
        fields[1].vtype = RD_KAFKA_VTYPE_MSGFLAGS
        fields[1].u.i = RD_KAFKA_MSG_F_COPY  // librdkafka keeps a copy: our pointers end here.
        fields[2].vtype = RD_KAFKA_VTYPE_OPAQUE
        fields[2].u.ptr = opaque
        var count = 3
        if let payload {
            fields[count].vtype = RD_KAFKA_VTYPE_VALUE
            // No address would mean a tombstone; any address does for zero bytes.
            fields[count].u.mem.ptr = UnsafeMutableRawPointer(mutating: payload.baseAddress ?? .init(topic))
            fields[count].u.mem.size = payload.count
            count += 1
        }
        if !key.isEmpty {
            fields[count].vtype = RD_KAFKA_VTYPE_KEY
            fields[count].u.mem.ptr = UnsafeMutableRawPointer(mutating: key.baseAddress)
            fields[count].u.mem.size = key.count
            count += 1
        }
        if let headers {
            fields[count].vtype = RD_KAFKA_VTYPE_HEADERS
            fields[count].u.headers = headers
            count += 1
        }
        if let partition {
            fields[count].vtype = RD_KAFKA_VTYPE_PARTITION
            fields[count].u.i32 = partition
            count += 1
        }
        if let timestampMs {
            fields[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP
            fields[count].u.i64 = timestampMs
            count += 1
        }
        return count
    }

    /// A list of our own, since C copies names and values into it one by one.
    private func headerList() -> OpaquePointer? {
        guard !headers.isEmpty else { return nil }
        let list = rd_kafka_headers_new(headers.count)
        for header in headers {
            _ = header.value.withUnsafeBytes { value in
                rd_kafka_header_add(list, header.name, -1, value.baseAddress, value.count)
            }
        }
        return list
    }
}
