public import Postgres
public import ServiceKit
import Synchronization

/// Tells operators whether Postgres is there and new enough: one line in the log when that changes, and a readiness condition.
///
/// For services that answer each request from Postgres: they start without it and say 503 until it comes.
public final class DatabaseProbe: Component {
    public let name = "database-probe"
    private let pool: PostgresPool
    private let logger: Logger
    private let condition: ReadinessCondition
    private let isStopping = Atomic(false)
    private static let pauseMs = 2_000
    private static let stopCheckMs = 100
    /// What a database says that was never migrated.
    private static let undefinedTable = "42P01"

    public init(_ pool: PostgresPool, _ service: Service) {
        self.pool = pool
        logger = service.logger
        condition = service.health.condition("postgres")
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    public func run() async throws {
        var last: HealthCheck.State?
        while !shouldStop {
            let state = await look()
            condition.set(state)
            if state != last { report(state) }
            last = state
            for _ in 0..<(Self.pauseMs / Self.stopCheckMs) where !shouldStop {
                try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
            }
        }
        pool.close()
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    private func look() async -> HealthCheck.State {
        do {
            let number = try await pool.withConnection { connection in
                try await connection.first(Schema.currentNumber) { try $0.int(0) }
            }
            return Self.state(atStep: number ?? 0)
        } catch let error as PostgresError where error.sqlState == Self.undefinedTable {
            return Self.state(atStep: 0)
        } catch {
            return .notReady("\(error)")
        }
    }

    private static func state(atStep number: Int) -> HealthCheck.State {
        guard number < Schema.latest else { return .ready }
        return .notReady(
            "the schema is at step \(number), this version needs \(Schema.latest): run fgctl migrate"
        )
    }

    private func report(_ state: HealthCheck.State) {
        switch state {
        case .ready: logger.info("postgres_ready")
        case .notReady(let reason): logger.error("postgres_unavailable", [.reason: reason])
        }
    }
}

extension Schema {
    /// The last step that was applied.
    public static let currentNumber: SQL = "SELECT coalesce(max(number), 0) FROM schema_migrations LIMIT 1"
}
