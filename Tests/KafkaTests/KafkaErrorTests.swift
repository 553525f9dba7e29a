import CRDKafka
import Kafka
import Testing

@Suite struct KafkaErrorTests {
    @Test(arguments: [
        RD_KAFKA_RESP_ERR__QUEUE_FULL, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT,
        RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__PURGE_QUEUE,
        RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
        RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
    ])
    func aRetryMayHelp(_ code: rd_kafka_resp_err_t) {
        #expect(KafkaError(code: code.rawValue).isRetriable)
    }

    @Test(arguments: [
        RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
        RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
        RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, RD_KAFKA_RESP_ERR__INVALID_ARG, RD_KAFKA_RESP_ERR__FATAL,
        RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__AUTHENTICATION,
        RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_UNKNOWN,
    ])
    func aRetryCannotHelp(_ code: rd_kafka_resp_err_t) {
        #expect(!KafkaError(code: code.rawValue).isRetriable)
    }

    @Test func onlyFatalIsFatal() {
        #expect(KafkaError(code: RD_KAFKA_RESP_ERR__FATAL.rawValue).isFatal)
        #expect(!KafkaError(code: RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN.rawValue).isFatal)
    }

    @Test func theDescriptionNamesTheCode() {
        let error = KafkaError(code: RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE.rawValue, reason: "2 MB")
        #expect(error.description == "kafka MSG_SIZE_TOO_LARGE (10): 2 MB")
    }
}
