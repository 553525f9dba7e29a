import Contracts
import ServiceKit

/// What an operator may change about what the aggregator reads beside events, measures and keeps.
public struct ConsumptionSettings: Sendable {
    public let rejectionsTopic: String
    /// Used when the broker does not tell the topic's own.
    public let eventsRetentionMs: Int
    public let rejectionsRetentionMs: Int
    public let lagIntervalMs: Int
    public let rejectionsKeptMs: Int
    public let setAsideKeptMs: Int
    private static let yearMs = 366 * 86_400_000

    init(_ reader: inout SettingsReader) {
        rejectionsTopic = reader.string(
            "KAFKA_REJECTIONS_TOPIC",
            default: Topics.rejectionsDefault,
            help: "Topic of rejections; read by a group of its own, KAFKA_GROUP with .rejections behind it."
        )
        eventsRetentionMs = reader.durationMs(
            "KAFKA_EVENTS_RETENTION_MS",
            default: Int(Topics.eventsRetentionMs),
            in: 1_000...10 * Self.yearMs,
            help: "How long the broker keeps the events topic, for a broker that does not tell."
        )
        rejectionsRetentionMs = reader.durationMs(
            "KAFKA_REJECTIONS_RETENTION_MS",
            default: Int(Topics.rejectionsRetentionMs),
            in: 1_000...10 * Self.yearMs,
            help: "How long the broker keeps the rejections topic, for a broker that does not tell."
        )
        lagIntervalMs = reader.durationMs(
            "AGGREGATOR_LAG_INTERVAL_MS",
            default: 15_000,
            in: 100...3_600_000,
            help: "Pause between two looks at the lag of the topics."
        )
        rejectionsKeptMs = reader.durationMs(
            "AGGREGATOR_REJECTIONS_KEPT_MS",
            default: 7 * 86_400_000,
            in: 3_600_000...Self.yearMs,
            help: "Age at which rejections are deleted; older ones are not stored."
        )
        setAsideKeptMs = reader.durationMs(
            "AGGREGATOR_SET_ASIDE_KEPT_MS",
            default: 30 * 86_400_000,
            in: 3_600_000...Self.yearMs,
            help: "Age at which messages that were set aside are deleted."
        )
    }
}
