import CRDKafka

/// One admin request with a queue of its own for the answer.
///
/// Owns the queue and the options; the result is lent to a closure and freed after it.
struct AdminRequest: ~Copyable {
    private let queue: OpaquePointer
    private let options: OpaquePointer
    private let requestMs: Int32

    init(_ client: OpaquePointer, _ operation: rd_kafka_admin_op_t, requestMs: Int32) throws(KafkaError) {
        guard let options = rd_kafka_AdminOptions_new(client, operation) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED)
        }
        self.options = options
        self.requestMs = requestMs
        queue = rd_kafka_queue_new(client)
        // Both: how long the client waits for the broker, and how long the broker for its controller.
        var message = [CChar](repeating: 0, count: 512)
        rd_kafka_AdminOptions_set_request_timeout(options, requestMs, &message, message.count)
        rd_kafka_AdminOptions_set_operation_timeout(options, requestMs, &message, message.count)
    }

    deinit {
        rd_kafka_AdminOptions_destroy(options)
        rd_kafka_queue_destroy(queue)
    }

    /// Sends, waits, and lets `read` copy what it needs out of the event.
    borrowing func answer<Value>(
        sending send: (_ options: OpaquePointer, _ queue: OpaquePointer) -> Void,
        reading read: (_ event: OpaquePointer) -> Value
    ) throws(KafkaError) -> Value {
        send(options, queue)
        // The request times out by itself; the second on top only guards against an answer that never comes.
        guard let event = rd_kafka_queue_poll(queue, requestMs + 1_000) else {
            throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT)
        }
        defer { rd_kafka_event_destroy(event) }
        let code = rd_kafka_event_error(event)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(code, reason: rd_kafka_event_error_string(event).map { String(cString: $0) })
        }
        return read(event)
    }
}

/// What the broker said about one topic.
struct TopicResult {
    let name: String
    let code: rd_kafka_resp_err_t
    let reason: String?

    var error: KafkaError { KafkaError(code, reason: reason) }

    /// Copies the results that an event lends.
    static func copy(_ results: UnsafeMutablePointer<OpaquePointer?>?, count: Int) -> [TopicResult] {
        UnsafeBufferPointer(start: results, count: results == nil ? 0 : count).compactMap { result in
            guard let result else { return nil }
            return TopicResult(
                name: String(cString: rd_kafka_topic_result_name(result)),
                code: rd_kafka_topic_result_error(result),
                reason: rd_kafka_topic_result_error_string(result).map { String(cString: $0) }
            )
        }
    }
}
