import CRDKafka

/// Sole owner of a `rd_kafka_conf_t` until a client takes it over.
struct KafkaConfiguration: ~Copyable {
    private let conf: OpaquePointer

    init() {
        conf = rd_kafka_conf_new()
    }

    deinit {
        rd_kafka_conf_destroy(conf)
    }

    /// Applies settings in the order of their names, so that the same mistake is always reported first.
    borrowing func set(_ settings: [String: String]) throws(KafkaError) {
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) { try set(name, value) }
    }

    borrowing func set(_ name: String, _ value: String) throws(KafkaError) {
        var message = [CChar](repeating: 0, count: 512)
        guard rd_kafka_conf_set(conf, name, value, &message, message.count) == RD_KAFKA_CONF_OK else {
            throw KafkaError(refused: text(message))
        }
    }

    borrowing func onDelivery(
        _ callback:
            @convention(c) (
                OpaquePointer?, UnsafePointer<rd_kafka_message_t>?, UnsafeMutableRawPointer?
            ) -> Void
    ) {
        rd_kafka_conf_set_dr_msg_cb(conf, callback)
    }

    /// Without it librdkafka writes to standard error.
    borrowing func onLog(
        _ callback:
            @convention(c) (
                OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?
            ) -> Void
    ) {
        rd_kafka_conf_set_log_cb(conf, callback)
    }

    borrowing func onError(
        _ callback:
            @convention(c) (
                OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?
            ) -> Void
    ) {
        rd_kafka_conf_set_error_cb(conf, callback)
    }

    borrowing func onRebalance(
        _ callback:
            @convention(c) (
                OpaquePointer?, rd_kafka_resp_err_t,
                UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, UnsafeMutableRawPointer?
            ) -> Void
    ) {
        rd_kafka_conf_set_rebalance_cb(conf, callback)
    }

    borrowing func onCommit(
        _ callback:
            @convention(c) (
                OpaquePointer?, rd_kafka_resp_err_t,
                UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, UnsafeMutableRawPointer?
            ) -> Void
    ) {
        rd_kafka_conf_set_offset_commit_cb(conf, callback)
    }

    /// Runs when the client is made: the moment at which interceptors are added.
    borrowing func onNewClient(
        _ callback:
            @convention(c) (
                OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, Int
            ) -> rd_kafka_resp_err_t
    ) {
        rd_kafka_conf_interceptor_add_on_new(conf, "foreground", callback, nil)
    }

    /// Makes a client out of this configuration; its callbacks get `context` as their opaque pointer.
    ///
    /// `rd_kafka_new` owns the configuration from then on, but only if it succeeds.
    consuming func makeClient(
        _ type: rd_kafka_type_t,
        context: any AnyObject & Sendable
    ) throws(KafkaError) -> ClientHandle {
        rd_kafka_conf_set_opaque(conf, Unmanaged<AnyObject>.passUnretained(context).toOpaque())
        var message = [CChar](repeating: 0, count: 512)
        guard let pointer = rd_kafka_new(type, conf, &message, message.count) else {
            _ = consume self
            throw KafkaError(refused: text(message))
        }
        discard self
        return ClientHandle(pointer, context: context)
    }
}
