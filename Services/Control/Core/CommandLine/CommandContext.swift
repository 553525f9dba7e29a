import AggregatorCore
import Contracts
import Kafka
import Postgres
import ServiceKit

/// What commands work with: the settings, connections made when first needed, and a place to report progress.
struct CommandContext: Sendable {
    let settings: ControlSettings
    let isJSON: Bool
    /// Lines about work under way, to standard error.
    let progress: @Sendable (String) -> Void

    func connect() async throws -> PostgresConnection {
        try await PostgresConnection(
            url: try settings.required(settings.databaseURL, "DATABASE_URL"),
            applicationName: "fgctl"
        )
    }

    /// For commands that store events: they keep erased people out as the aggregators do.
    func eventStore(topic: String) async throws -> EventStore {
        guard let key = settings.erasureHashKey else {
            throw CommandFailure("ERASURE_HASH_KEY is not set", exitCode: ExitCode.settings)
        }
        return try await EventStore.withLedger(try await connect(), topic: topic, hashKey: key)
    }

    func admin() throws -> KafkaAdmin {
        try KafkaAdmin(settings: [
            "bootstrap.servers": try settings.required(settings.brokers, "KAFKA_BROKERS")
        ])
    }
}

/// The settings of fgctl, from the environment; each command needs only some of them.
public struct ControlSettings: Sendable {
    let databaseURL: String?
    let brokers: String?
    let eventsTopic: String
    let rejectionsTopic: String
    /// The aggregators' key, by which erased people are recognised.
    let erasureHashKey: Secret?
    /// By role: set by `migrate` when given.
    let rolePasswords: [String: String]

    public init(environment: [String: String]) {
        func text(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        databaseURL = text("DATABASE_URL")
        brokers = text("KAFKA_BROKERS")
        eventsTopic = text("KAFKA_EVENTS_TOPIC") ?? Topics.eventsDefault
        rejectionsTopic = text("KAFKA_REJECTIONS_TOPIC") ?? Topics.rejectionsDefault
        erasureHashKey = text("ERASURE_HASH_KEY").map { Secret($0) }
        var passwords: [String: String] = [:]
        for service in ["ingest", "aggregator", "reader", "console"] {
            passwords["foreground_\(service)"] = text("\(service.uppercased())_DB_PASSWORD")
        }
        rolePasswords = passwords
    }

    func required(_ value: String?, _ name: String) throws(CommandFailure) -> String {
        guard let value else { throw CommandFailure("\(name) is not set", exitCode: ExitCode.settings) }
        return value
    }

    static let help = """
        Settings (environment):
          DATABASE_URL             Postgres as the owner of the tables, postgresql://user:password@host:port/database
          KAFKA_BROKERS            brokers as host:port, comma-separated
          KAFKA_EVENTS_TOPIC       topic of accepted events (\(Topics.eventsDefault))
          KAFKA_REJECTIONS_TOPIC   topic of rejections (\(Topics.rejectionsDefault))
          ERASURE_HASH_KEY         the aggregators' key, needed by erasure verify and by what stores messages
          INGEST_DB_PASSWORD, AGGREGATOR_DB_PASSWORD, READER_DB_PASSWORD, CONSOLE_DB_PASSWORD
                                   passwords that migrate gives to the services' roles
        """
}
