import Contracts
public import ServiceKit

/// Everything an operator may change about the aggregator; `deploy/aggregator.env` lists the same names.
public struct AggregatorSettings: Sendable {
    public let databaseURL: Secret
    public let brokers: String
    public let topic: String
    public let group: String
    /// Names this replica to the broker, which then gives it its partitions back at once after a crash.
    public let groupInstance: String?
    /// Messages stored in one transaction at most.
    public let pollMessagesMax: Int
    public let pollBytesMax: Int
    public let limits: StoreLimits
    public let closeIntervalMs: Int
    /// Pause between closing runs in between, as long as they cost little.
    public let refreshIntervalMs: Int
    public let consumption: ConsumptionSettings
    public let retentionIntervalMs: Int
    public let appChangesIntervalMs: Int
    public let erasure: ErasureSettings
    public let ops: OpsSettings

    public init(_ reader: inout SettingsReader) {
        databaseURL = reader.secret("DATABASE_URL", help: "Postgres, as the role foreground_aggregator.")
        brokers = reader.string("KAFKA_BROKERS", help: "Brokers as host:port, comma-separated.")
        topic = reader.string(
            "KAFKA_EVENTS_TOPIC",
            default: Topics.eventsDefault,
            help: "Topic of accepted events."
        )
        group = reader.string("KAFKA_GROUP", default: "foreground-aggregator", help: "Consumer group.")
        groupInstance = reader.optionalString(
            "KAFKA_GROUP_INSTANCE",
            help:
                "Name of this replica within the group; with it a restart takes its partitions back at once."
        )
        pollMessagesMax = reader.integer(
            "AGGREGATOR_POLL_MESSAGES_MAX",
            default: 5_000,
            in: 1...100_000,
            help: "Messages stored in one transaction at most."
        )
        pollBytesMax = reader.integer(
            "AGGREGATOR_POLL_BYTES_MAX",
            default: 16_777_216,
            in: 1_000_000...268_435_456,
            help: "Bytes of messages stored in one transaction at most."
        )
        limits = StoreLimits(
            contextsPerDayMax: reader.integer(
                "AGGREGATOR_CONTEXTS_MAX",
                default: StoreLimits.contextsPerDayDefault,
                in: 0...10_000_000,
                help: "New contexts an app may bring on a UTC day; further ones lose their free text."
            ),
            cachedPeopleMax: reader.integer(
                "AGGREGATOR_CACHED_PEOPLE_MAX",
                default: StoreLimits.cachedPeopleDefault,
                in: 1_000...10_000_000,
                help: "Installs remembered between batches, and as many users."
            )
        )
        closeIntervalMs = reader.durationMs(
            "AGGREGATOR_CLOSE_INTERVAL_MS",
            default: 900_000,
            in: 100...86_400_000,
            help: "Pause between two closing runs."
        )
        refreshIntervalMs = reader.durationMs(
            "AGGREGATOR_REFRESH_INTERVAL_MS",
            default: 60_000,
            in: 100...86_400_000,
            help: "Pause between closing runs in between, as long as they cost under a tenth of a core."
        )
        consumption = ConsumptionSettings(&reader)
        retentionIntervalMs = reader.durationMs(
            "AGGREGATOR_RETENTION_INTERVAL_MS",
            default: 86_400_000,
            in: 1_000...86_400_000,
            help: "Pause between two runs that expire what is older than 25 months."
        )
        appChangesIntervalMs = reader.durationMs(
            "AGGREGATOR_APP_CHANGES_INTERVAL_MS",
            default: 5_000,
            in: 100...600_000,
            help: "Pause between two looks for apps to merge or delete."
        )
        erasure = ErasureSettings(&reader)
        ops = OpsSettings(&reader, prefix: "AGGREGATOR_", portDefault: 9083)
    }

    /// - Parameter suffix: tells the groups of several topics apart, so that none of them waits for another's rebalance.
    func consumerSettings(groupSuffix suffix: String = "") -> [String: String] {
        var settings = commonSettings
        settings["group.id"] = group + suffix
        if let groupInstance { settings["group.instance.id"] = groupInstance }
        return settings
    }

    private var commonSettings: [String: String] {
        [
            "bootstrap.servers": brokers,
            "enable.auto.commit": "false",
            // Without a stored offset everything the topic still has is read: repeats are recognised, gaps are not.
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "range",
            "session.timeout.ms": "10000",
            // Bounds what librdkafka keeps ahead of us, whatever the backlog.
            "queued.max.messages.kbytes": "32768",
            "fetch.message.max.bytes": "2097152",
            // New partitions are found within this time; nothing in them is lost, they start at the beginning.
            "topic.metadata.refresh.interval.ms": "10000",
        ]
    }
}
