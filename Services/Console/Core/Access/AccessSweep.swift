import Postgres
import ServiceKit

/// Deletes sessions and links that have run out, once an hour.
final class AccessSweep: Component {
    let name = "access-sweep"
    private let pool: PostgresPool
    private let sessions: ConsoleSessions
    private let logger: Logger
    private let repeater: Repeater
    private static let intervalMs: Int64 = 3_600_000

    init(pool: PostgresPool, sessions: ConsoleSessions, _ service: Service) {
        self.pool = pool
        self.sessions = sessions
        logger = service.logger
        repeater = Repeater(clock: service.monotonicClock)
    }

    func stop() { repeater.stop() }

    func run() async throws {
        await repeater.run {
            do {
                try await sweep()
            } catch {
                logger.warn("access_sweep_failed", [.error: "\(error)"])
            }
            return Self.intervalMs
        }
    }

    func sweep() async throws {
        let sessions = sessions
        try await pool.withConnection { connection in
            try await connection.transaction { connection in
                _ = try sessions.sweep(connection)
                _ = try SetupLinks.sweep(connection)
            }
        }
    }
}
