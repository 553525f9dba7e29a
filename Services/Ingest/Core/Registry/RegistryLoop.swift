import Postgres
public import ServiceKit
import Synchronization

/// Keeps the registry fresh: Postgres' notifications for speed, polling for certainty, a file for starts without Postgres.
public final class RegistryLoop: Component {
    public let name = "registry"
    private let registry: Registry
    private let settings: IngestSettings
    private let logger: Logger
    private let throttled: LogThrottle
    private let isStopping = Atomic(false)
    private static let fileBytesMax = 1 << 30
    /// One wait, so that a stop is noticed soon.
    private static let waitMs = 250
    private static let firstConnectSeconds = 2

    public init(_ registry: Registry, settings: IngestSettings, service: Service) {
        self.registry = registry
        self.settings = settings
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// Fills the registry before the server takes requests: from the file, then from Postgres if it answers soon.
    public func start() async throws {
        restore()
        do {
            let connection = try await connect(timeoutSeconds: Self.firstConnectSeconds)
            try await refresh(connection)
            await connection.close()
        } catch {
            logger.warn("registry_not_refreshed", [.error: "\(error)", .count: registry.keyCount])
        }
    }

    public func run() async throws {
        var backoff = Backoff(firstMs: 200, ceilingMs: 5_000)
        while !shouldStop {
            do {
                let connection = try await connect(timeoutSeconds: 5)
                try await connection.listen(RegistryQuery.channel)
                try await refresh(connection)
                backoff.reset()
                try await follow(connection)
            } catch {
                let waitMs = backoff.nextMs()
                throttled.warn("registry_unavailable", [.error: "\(error)", .retryMs: waitMs])
                try? await Task.sleep(for: .milliseconds(waitMs))
            }
        }
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    private func connect(timeoutSeconds: Int) async throws -> PostgresConnection {
        try await PostgresConnection(
            url: settings.databaseURL.reveal(),
            applicationName: "foreground-ingest registry",
            connectTimeoutSeconds: timeoutSeconds,
            statementTimeoutMs: 10_000
        )
    }

    private func follow(_ connection: PostgresConnection) async throws {
        var waitedMs = 0
        while !shouldStop {
            let isNotified = try await connection.waitForNotification(ms: Self.waitMs) != nil
            waitedMs += Self.waitMs
            guard isNotified || waitedMs >= settings.registryPollMs else { continue }
            waitedMs = 0
            try await refresh(connection)
        }
    }

    private func refresh(_ connection: PostgresConnection) async throws {
        let version = try await connection.first(RegistryQuery.version) { try $0.int64(0) }
        guard version == nil || version != registry.confirmedVersion else { return registry.confirm() }
        let snapshot = try await connection.perform { try RegistryQuery.load($0) }
        registry.replace(with: snapshot)
        logger.info("registry_loaded", [.count: snapshot.keys.count, .revision: snapshot.version])
        save(snapshot)
    }

    private func restore() {
        do throws(FileError) {
            let bytes = try readFile(settings.registryPath, bytesMax: Self.fileBytesMax)
            guard let snapshot = RegistryFile.decode(bytes) else {
                logger.warn("registry_file_unusable", [.file: settings.registryPath])
                return
            }
            registry.restore(snapshot)
            logger.info("registry_restored", [.count: snapshot.keys.count, .revision: snapshot.version])
        } catch {
            logger.info("registry_file_absent", [.reason: "\(error)"])
        }
    }

    private func save(_ snapshot: RegistrySnapshot) {
        do throws(FileError) {
            try atomicWriteFile(settings.registryPath, RegistryFile.encode(snapshot), mode: 0o600)
        } catch {
            throttled.error("registry_not_saved", [.error: "\(error)"])
        }
    }
}
