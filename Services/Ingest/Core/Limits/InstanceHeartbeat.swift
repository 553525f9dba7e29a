import Crypto
import Postgres
import Schema
public import ServiceKit
import Synchronization

/// Tells the other instances that this one lives, and learns how many there are to share each app's limit.
///
/// While Postgres is away the last number stays: guessing "one" would let an app through as often as there are instances.
public final class InstanceHeartbeat: Component {
    public let name = "heartbeat"
    private let limiter: AppLimiter
    private let settings: IngestSettings
    private let throttled: LogThrottle
    private let id: String
    private let isStopping = Atomic(false)
    static let beatMs = 3_000
    /// Beats missed until an instance counts as gone.
    static let liveMs = 10_000
    private static let stopCheckMs = 100

    public init(_ limiter: AppLimiter, settings: IngestSettings, service: Service) {
        self.limiter = limiter
        self.settings = settings
        throttled = LogThrottle(service.logger, intervalMs: 30_000)
        service.metrics.gauge(
            "foreground_ingest_live_instances",
            help: "Instances that share each app's limit, as this one last saw them."
        ) { Double(limiter.instanceCount) }
        id = UUIDText.format(IDGenerator().uuidV7(nowMs: service.wallClock.nowMs()))
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    public func run() async throws {
        var connection: PostgresConnection?
        while !shouldStop {
            do {
                if connection == nil { connection = try await connect() }
                guard let open = connection else { continue }
                limiter.setInstances(try await beat(open))
            } catch {
                connection = nil
                throttled.warn("heartbeat_failed", [.error: "\(error)"])
            }
            for _ in 0..<(Self.beatMs / Self.stopCheckMs) where !shouldStop {
                try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
            }
        }
        _ = try? await connection?.execute("DELETE FROM ingest_instances WHERE instance_id = \(id)::uuid")
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    private func connect() async throws -> PostgresConnection {
        try await PostgresConnection(
            url: settings.databaseURL.reveal(),
            applicationName: "foreground-ingest heartbeat",
            statementTimeoutMs: 5_000
        )
    }

    /// Returns how many instances live, this one included.
    private func beat(_ connection: PostgresConnection) async throws -> Int {
        try await connection.execute(
            """
            INSERT INTO ingest_instances (instance_id, seen_at) VALUES (\(id)::uuid, now())
            ON CONFLICT (instance_id) DO UPDATE SET seen_at = excluded.seen_at
            """
        )
        let live = try await connection.first(
            """
            SELECT count(*) FROM ingest_instances
            WHERE seen_at > now() - \(Self.liveMs) * interval '1 millisecond' LIMIT 1
            """
        ) { try $0.int(0) }
        try await connection.execute("DELETE FROM ingest_instances WHERE seen_at < now() - interval '1 hour'")
        return live ?? 1
    }
}
