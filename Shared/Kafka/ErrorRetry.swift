import CRDKafka

extension rd_kafka_resp_err_t {
    /// What failed was the moment, not the message.
    ///
    /// Whatever is not listed stays failed: repeating it would only fill queues. An unknown topic is left
    /// out on purpose, since topics are made before services start; so are authentication and authorisation.
    var mayPass: Bool { Self.local.contains(rawValue) || Self.remote.contains(rawValue) }

    /// Found by the client itself.
    private static let local: Set<Int32> = codes([
        RD_KAFKA_RESP_ERR__QUEUE_FULL,
        RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
        RD_KAFKA_RESP_ERR__TIMED_OUT,
        RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE,
        RD_KAFKA_RESP_ERR__TRANSPORT,
        RD_KAFKA_RESP_ERR__RESOLVE,
        RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
        RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE,
        RD_KAFKA_RESP_ERR__ISR_INSUFF,
        RD_KAFKA_RESP_ERR__NODE_UPDATE,
        RD_KAFKA_RESP_ERR__WAIT_COORD,
        RD_KAFKA_RESP_ERR__WAIT_CACHE,
        RD_KAFKA_RESP_ERR__IN_PROGRESS,
        RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS,
        RD_KAFKA_RESP_ERR__INTR,
        RD_KAFKA_RESP_ERR__RETRY,
        RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED,
        RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST,
        // Given up because the client stopped or was replaced: another client may deliver it.
        RD_KAFKA_RESP_ERR__PURGE_QUEUE,
        RD_KAFKA_RESP_ERR__PURGE_INFLIGHT,
        RD_KAFKA_RESP_ERR__DESTROY,
        RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE,
    ])

    /// Answered by a broker.
    private static let remote: Set<Int32> = codes([
        RD_KAFKA_RESP_ERR_INVALID_MSG,  // The checksum did not match on arrival.
        RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
        RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
        RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_STALE_CTRL_EPOCH,
        RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
        RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
        RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS,
        RD_KAFKA_RESP_ERR_NOT_CONTROLLER,
        RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
        RD_KAFKA_RESP_ERR_REASSIGNMENT_IN_PROGRESS,
        RD_KAFKA_RESP_ERR_FETCH_SESSION_ID_NOT_FOUND,
        RD_KAFKA_RESP_ERR_INVALID_FETCH_SESSION_EPOCH,
        RD_KAFKA_RESP_ERR_LISTENER_NOT_FOUND,
        RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH,
        RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH,
        RD_KAFKA_RESP_ERR_STALE_BROKER_EPOCH,
        RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_PREFERRED_LEADER_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_ELIGIBLE_LEADERS_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT,
        RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED,
        // The broker lost track of this producer's numbering. The message is sound; the producer may not be,
        // which its `fatalError` says.
        RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
        RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID,
        RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
        RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING,
    ])

    private static func codes(_ list: [rd_kafka_resp_err_t]) -> Set<Int32> {
        Set(list.map(\.rawValue))
    }
}
