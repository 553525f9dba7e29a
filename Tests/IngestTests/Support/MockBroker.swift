import CRDKafka
import Contracts

/// librdkafka's broker for tests: no server, no port to choose, no clean-up.
///
/// It belongs to a client of its own, so that ingest's producer is made as in production.
final class MockBroker {
    private let client: OpaquePointer
    private let cluster: OpaquePointer

    init() throws {
        let configuration = rd_kafka_conf_new()
        rd_kafka_conf_set_log_cb(configuration) { _, _, _, _ in }
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, configuration, nil, 0),
            let cluster = rd_kafka_mock_cluster_new(client, 1)
        else { throw MockBrokerError() }
        (self.client, self.cluster) = (client, cluster)
        rd_kafka_mock_topic_create(cluster, Topics.eventsDefault, 2, 1)
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    var address: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    /// The next request to store messages fails for good.
    func refuseOnce() { fail(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) }

    /// The next request to store messages finds that the broker has forgotten the producer.
    func breakNumberingOnce() { fail(RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER) }

    private func fail(_ code: rd_kafka_resp_err_t) {
        var codes = [code]
        rd_kafka_mock_push_request_errors_array(cluster, Self.produceRequest, codes.count, &codes)
    }

    private static let produceRequest: Int16 = 0
}

struct MockBrokerError: Error {}
