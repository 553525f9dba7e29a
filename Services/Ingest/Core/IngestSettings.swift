import Contracts
public import Forwarding
public import ServiceKit

/// Everything an operator may change about ingest; `deploy/ingest.env` lists the same names.
public struct IngestSettings: Sendable {
    public let address: String
    public let port: Int
    public let threads: Int
    public let connectionsMax: Int
    public let databaseURL: Secret
    public let registryPath: String
    public let registryPollMs: Int
    public let brokers: String
    public let topic: String
    public let rejectionsTopic: String
    /// Busy installs the limiter remembers at most.
    public let limitedInstallsMax: Int
    /// From receipt to answer; then 503.
    public let answerMsMax: Int
    public let queueBytesMax: Int
    /// How long a message waits for others to travel with.
    public let lingerMs: Int
    public let bodiesBytesMax: Int
    public let geoDatabasePath: String?
    public let trustedProxies: TrustedProxies
    public let ops: OpsSettings

    public init(_ reader: inout SettingsReader) {
        address = reader.string(
            "INGEST_ADDRESS",
            default: "127.0.0.1",
            help: "Address to listen on; 0.0.0.0 for all."
        )
        port = reader.integer("INGEST_PORT", default: 8080, in: 0...65_535, help: "Port to listen on.")
        threads = reader.integer(
            "INGEST_THREADS",
            default: 2,
            in: 1...256,
            help: "Threads that serve requests."
        )
        connectionsMax = reader.integer(
            "INGEST_CONNECTIONS_MAX",
            default: 10_000,
            in: 10...1_000_000,
            help: "Open connections at most; further ones are closed at once."
        )
        databaseURL = reader.secret("DATABASE_URL", help: "Postgres, as the role foreground_ingest.")
        registryPath = reader.path(
            "INGEST_REGISTRY_PATH",
            default: "/var/lib/foreground/registry.json",
            help: "File that keeps the apps and keys for starts without Postgres."
        )
        registryPollMs = reader.durationMs(
            "INGEST_REGISTRY_POLL_MS",
            default: 5_000,
            in: 100...10_000,
            help: "How often apps and keys are compared with Postgres, besides its notifications."
        )
        brokers = reader.string("KAFKA_BROKERS", help: "Brokers as host:port, comma-separated.")
        topic = reader.string(
            "KAFKA_EVENTS_TOPIC",
            default: Topics.eventsDefault,
            help: "Topic of accepted events."
        )
        rejectionsTopic = reader.string(
            "KAFKA_REJECTIONS_TOPIC",
            default: Topics.rejectionsDefault,
            help: "Topic of what was turned away, without any values of events."
        )
        limitedInstallsMax = reader.integer(
            "INGEST_LIMITED_INSTALLS_MAX",
            default: 1_000_000,
            in: 1_000...100_000_000,
            help: "Busy installs the rate limiter remembers at most; further ones are let through."
        )
        answerMsMax = reader.durationMs(
            "INGEST_ANSWER_MS_MAX",
            default: 5_000,
            in: 100...60_000,
            help: "From receipt to answer; a batch the broker has not confirmed by then gets 503."
        )
        queueBytesMax = reader.integer(
            "INGEST_QUEUE_BYTES_MAX",
            default: 134_217_728,
            in: 4_194_304...2_147_483_647,
            help: "Bytes waiting for the broker at most; beyond it batches get 503 at once."
        )
        lingerMs = reader.integer(
            "INGEST_LINGER_MS",
            default: 5,
            in: 0...1_000,
            help: "Milliseconds a message waits for others to travel with; adds to every answer."
        )
        bodiesBytesMax = reader.integer(
            "INGEST_BODIES_BYTES_MAX",
            default: 268_435_456,
            in: 4_194_304...1_099_511_627_776,
            help: "Bytes of all request bodies at hand at most; further ones get 503 at once."
        )
        geoDatabasePath = reader.optionalPath(
            "GEOIP_DATABASE_PATH",
            help: "City database (.mmdb); without it country and city stay unknown."
        )
        trustedProxies = TrustedProxies("INGEST_TRUSTED_PROXIES", &reader)
        ops = OpsSettings(&reader, prefix: "INGEST_", portDefault: 9080)
    }

    var producerSettings: [String: String] {
        [
            "bootstrap.servers": brokers,
            "acks": "all",
            "enable.idempotence": "true",
            "compression.codec": "lz4",
            "linger.ms": "\(lingerMs)",
            "message.timeout.ms": "\(answerMsMax)",
            "queue.buffering.max.kbytes": "\(queueBytesMax / 1024)",
            "queue.buffering.max.messages": "1000000",
            "message.max.bytes": "\(Topics.messageBytesMax + 16_384)",
            "socket.keepalive.enable": "true",
        ]
    }
}
