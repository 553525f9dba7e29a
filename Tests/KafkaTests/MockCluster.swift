import CRDKafka

/// librdkafka's broker for tests: no server, no port to choose, no clean-up.
///
/// It belongs to a client of its own, so that the clients under test are made as in production.
struct MockCluster: ~Copyable {
    /// Numbers of the protocol's requests.
    enum Request: Int16 {
        case produce = 0
        case offsetCommit = 8
    }

    private let client: OpaquePointer
    private let cluster: OpaquePointer

    init(brokers: Int32 = 1) throws {
        let client = try present(rd_kafka_new(RD_KAFKA_PRODUCER, Self.silent(), nil, 0))
        let cluster = try present(rd_kafka_mock_cluster_new(client, brokers))
        (self.client, self.cluster) = (client, cluster)
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    var servers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    func createTopic(_ name: String, partitions: Int32) {
        rd_kafka_mock_topic_create(cluster, name, partitions, 1)
    }

    /// The next requests of that kind fail with these codes, one each.
    func fail(_ request: Request, with codes: [rd_kafka_resp_err_t]) {
        rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, codes.count, codes)
    }

    private static func silent() -> OpaquePointer? {
        let configuration = rd_kafka_conf_new()
        rd_kafka_conf_set_log_cb(configuration) { _, _, _, _ in }
        return configuration
    }
}

private func present(_ pointer: OpaquePointer?) throws -> OpaquePointer {
    guard let pointer else { throw MockClusterError() }
    return pointer
}

struct MockClusterError: Error {}
