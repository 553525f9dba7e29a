internal import Crypto
internal import Postgres
public import ServiceKit
import Synchronization

/// Tells the other instances of a service that this one lives, and learns how many there are to share a limit.
///
/// While Postgres is away the last number stays: guessing "one" would let clients through as often as there are instances.
public final class InstanceHeartbeat: Component {
    /// Services whose instances share limits; each has a table of its own, which its role alone may write.
    public enum Kind: String, Sendable, CaseIterable {
        case ingest, reader

        var table: SQL {
            switch self {
            case .ingest: "ingest_instances"
            case .reader: "reader_instances"
            }
        }
    }

    public let name = "heartbeat"
    private let kind: Kind
    private let databaseURL: Secret
    private let counted: @Sendable (Int) -> Void
    private let throttled: LogThrottle
    private let id: String
    private let live = Atomic(1)
    private let isStopping = Atomic(false)
    public static let beatMs = 3_000
    /// Beats missed until an instance counts as gone.
    public static let liveMs = 10_000
    private static let stopCheckMs = 100

    /// - Parameter counted: told after each beat how many instances live, this one included.
    public init(
        _ kind: Kind,
        databaseURL: Secret,
        service: Service,
        counted: @escaping @Sendable (Int) -> Void
    ) {
        self.kind = kind
        self.databaseURL = databaseURL
        self.counted = counted
        throttled = LogThrottle(service.logger, intervalMs: 30_000)
        id = UUIDText.format(IDGenerator().uuidV7(nowMs: service.wallClock.nowMs()))
        service.metrics.gauge(
            "foreground_\(kind.rawValue)_live_instances",
            help: "Instances that share the limits of this service, as this one last saw them."
        ) { [self] in Double(live.load(ordering: .relaxed)) }
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
                let count = max(1, try await beat(open))
                live.store(count, ordering: .relaxed)
                counted(count)
            } catch {
                connection = nil
                throttled.warn("heartbeat_failed", [.error: "\(error)"])
            }
            for _ in 0..<(Self.beatMs / Self.stopCheckMs) where !shouldStop {
                try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
            }
        }
        _ = try? await connection?.execute("DELETE FROM \(kind.table) WHERE instance_id = \(id)::uuid")
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    private func connect() async throws -> PostgresConnection {
        try await PostgresConnection(
            url: databaseURL.reveal(),
            applicationName: "foreground-\(kind.rawValue) heartbeat",
            statementTimeoutMs: 5_000
        )
    }

    /// Returns how many instances live, this one included.
    private func beat(_ connection: PostgresConnection) async throws -> Int {
        try await connection.execute(
            """
            INSERT INTO \(kind.table) (instance_id, seen_at) VALUES (\(id)::uuid, now())
            ON CONFLICT (instance_id) DO UPDATE SET seen_at = excluded.seen_at
            """
        )
        let live = try await connection.first(
            """
            SELECT count(*) FROM \(kind.table)
            WHERE seen_at > now() - \(Self.liveMs) * interval '1 millisecond' LIMIT 1
            """
        ) { try $0.int(0) }
        try await connection.execute("DELETE FROM \(kind.table) WHERE seen_at < now() - interval '1 hour'")
        return live ?? 1
    }
}
