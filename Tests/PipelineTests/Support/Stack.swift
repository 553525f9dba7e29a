import Foundation
import Glibc
import Kafka
import Postgres
import Synchronization

enum ServiceName: String, Sendable, CaseIterable {
    case ingest, aggregator, reader, console
}

/// A database, topics and services of a test's own.
///
/// Everything it starts is ended by `stop`, whatever the test did meanwhile.
final class Stack: Sendable {
    static let partitions = 3
    static let erasureHashKey = "a key of the pipeline tests, long enough"
    let database: ScratchDatabase
    let brokers: String
    let directory: String
    let topic: String
    private let processes = Mutex<[ServiceProcess]>([])
    private let sentSecrets = Mutex<Set<String>>([])

    init(database: ScratchDatabase, brokers: String, directory: String) {
        self.database = database
        self.brokers = brokers
        self.directory = directory
        topic = database.name + ".events"
    }

    /// Runs `body` with a stack whose database is migrated and whose topics exist, and ends everything after it.
    static func run(
        _ services: [ServiceName] = [],
        brokers: String? = nil,
        databaseServer: String? = nil,
        createsTopics: Bool = true,
        _ body: (Stack) async throws -> Void
    ) async throws {
        let brokers = try brokers ?? TestSetting.brokers()
        let database = try await ScratchDatabase.create(on: databaseServer)
        let directory = FileManager.default.temporaryDirectory.appending(path: database.name).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let stack = Stack(database: database, brokers: brokers, directory: directory)
        let outcome: Result<Void, any Error>
        do {
            try await stack.fgctl("migrate").requireSuccess()
            if createsTopics { try await stack.createTopics() }
            for service in services { _ = try await stack.start(service) }
            outcome = .success(try await body(stack))
        } catch {
            outcome = .failure(error)
        }
        await stack.stop()
        try? await database.drop()
        try? FileManager.default.removeItem(atPath: directory)
        try outcome.get()
    }

    func createTopics() async throws {
        try await fgctl("topics", "create", "--partitions", "\(Self.partitions)").requireSuccess()
    }

    /// Starts a service and waits until it takes requests; `isReady: false` waits until it is alive only.
    func start(
        _ name: ServiceName,
        _ changes: [String: String] = [:],
        isReady: Bool = true
    ) async throws -> RunningService {
        let environment = try settings(of: name).merging(changes) { $1 }
        let process = try launch(name, environment)
        let opsPort = try await process.port(of: "ops")
        let port = name == .aggregator ? nil : try await process.port(of: "http")
        let service = RunningService(name: name, process: process, opsPort: opsPort, servicePort: port)
        try await wait(until: "\(name) is there") {
            guard process.isRunning else { throw Died(name: name.rawValue, log: process.logText) }
            return try await service.ops(isReady ? "/readyz" : "/healthz").status == 200
        }
        return service
    }

    /// Starts a service's process and waits for nothing.
    func launch(_ name: ServiceName, _ environment: [String: String]) throws -> ServiceProcess {
        let number = processes.withLock { $0.count }
        let process = try ServiceProcess(
            name.rawValue,
            program: try TestSetting.executable("foreground-\(name.rawValue)"),
            environment: environment,
            logPath: directory + "/\(number)-\(name.rawValue).log"
        )
        processes.withLock { $0.append(process) }
        return process
    }

    func settings(of name: ServiceName) throws -> [String: String] {
        let prefix = name.rawValue.uppercased()
        var settings = [
            "DATABASE_URL": try database.url(of: name), "\(prefix)_METRICS_PORT": "0", "LOG_LEVEL": "debug",
        ]
        if name != .aggregator {
            settings["\(prefix)_ADDRESS"] = "127.0.0.1"
            settings["\(prefix)_PORT"] = "0"
        }
        if name == .ingest || name == .aggregator {
            settings["KAFKA_BROKERS"] = brokers
            settings["KAFKA_EVENTS_TOPIC"] = topic
            settings["KAFKA_REJECTIONS_TOPIC"] = rejectionsTopic
        }
        if name == .console {
            settings["CONSOLE_PAGES"] =
                URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Services/Console/Pages").standardized.path
        }
        if name == .ingest {
            settings["INGEST_REGISTRY_PATH"] = directory + "/registry.json"
        }
        if name == .aggregator {
            settings["KAFKA_GROUP"] = database.name
            settings["ERASURE_HASH_KEY"] = Self.erasureHashKey
        }
        return settings
    }

    /// The newest instance of a service.
    func running(_ name: ServiceName) async throws -> RunningService {
        guard let process = processes.withLock({ $0.last { $0.name == name.rawValue && $0.isRunning } })
        else {
            throw NeverHappened(what: "\(name) was started", seconds: 0)
        }
        let port = name == .aggregator ? nil : try await process.port(of: "http")
        return RunningService(
            name: name,
            process: process,
            opsPort: try await process.port(of: "ops"),
            servicePort: port
        )
    }

    var logs: [ServiceProcess] { processes.withLock { $0 } }

    /// What no log may show.
    func keepSecret(_ texts: [String]) { sentSecrets.withLock { $0.formUnion(texts) } }
    var secrets: Set<String> { sentSecrets.withLock { $0 } }

    private func stop() async {
        let running = logs.filter(\.isRunning)
        for process in running {
            process.send(SIGCONT)
            process.send(SIGTERM)
        }
        for process in running where (try? await process.exitCode(seconds: 30)) == nil {
            process.send(SIGKILL)
        }
        guard let admin = try? KafkaAdmin(settings: ["bootstrap.servers": brokers], requestMs: 3_000) else {
            return
        }
        try? await admin.deleteTopic(topic)
        try? await admin.deleteTopic(rejectionsTopic)
    }

    var rejectionsTopic: String { database.name + ".rejections" }
}

/// A service that a stack runs.
struct RunningService: Sendable {
    let name: ServiceName
    let process: ServiceProcess
    let opsPort: Int
    /// Nil for the aggregator, which serves nobody.
    let servicePort: Int?

    func ops(_ path: String) async throws -> HTTPAnswer {
        try await HTTPCall(port: opsPort, target: path).answer()
    }

    /// The value of a counter without labels, or with exactly the given ones.
    func metric(_ name: String) async throws -> Double? {
        let lines = try await ops("/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}
