import CRDKafka
import Glibc

/// Keeps a consumer from asking without a pause when a broker answers "nothing new" at once.
///
/// Kafka holds an empty answer back for `fetch.wait.max.ms`. The development broker does not, and librdkafka 2.0.2 has no setting that waits
/// between two fetches: an idle consumer then spends a third of a core on asking. So an answer that comes back quickly and holds next to
/// nothing delays the next request a little. Kafka's own quick answers hold messages, and a backlog makes them large.
///
/// Runs on librdkafka's thread of that broker, and may block it for that short while: heartbeats go by the coordinator's own connection.
enum FetchPacing {
    private static let fetchKey: Int16 = 1
    private static let quickMicroseconds: Int64 = 50_000
    private static let smallBytes = 8_192
    private static let pauseMicroseconds: UInt32 = 50_000

    /// How long to wait after an answer.
    static func pauseMicroseconds(apiKey: Int16, bytes: Int, roundTripMicroseconds: Int64) -> UInt32 {
        guard apiKey == fetchKey, bytes <= smallBytes, roundTripMicroseconds < quickMicroseconds else {
            return 0
        }
        return pauseMicroseconds
    }
}

extension KafkaConfiguration {
    /// Puts `FetchPacing` between an answer and the next request.
    borrowing func paceFetches() {
        onNewClient { client, _, _, _, _ in
            rd_kafka_interceptor_add_on_response_received(
                client,
                "fetch-pacing",
                { _, _, _, _, apiKey, _, _, bytes, roundTrip, _, _ in
                    let pause = FetchPacing.pauseMicroseconds(
                        apiKey: apiKey,
                        bytes: bytes,
                        roundTripMicroseconds: roundTrip
                    )
                    if pause > 0 { usleep(pause) }
                    return RD_KAFKA_RESP_ERR_NO_ERROR
                },
                nil
            )
        }
    }
}
