import ControlPlane
import Postgres
import ServiceKit

/// Makes sure somebody can sign in: the account of the settings, or a link for one use in the log.
final class FirstAccount: Component {
    let name = "first_account"
    private let pool: PostgresPool
    private let settings: ConsoleSettings
    private let hasher: PasswordHasher
    private let logger: Logger
    private let repeater: Repeater
    private static let idleMs: Int64 = 3_600_000

    init(pool: PostgresPool, settings: ConsoleSettings, hasher: PasswordHasher, _ service: Service) {
        self.pool = pool
        self.settings = settings
        self.hasher = hasher
        logger = service.logger
        repeater = Repeater(clock: service.monotonicClock)
    }

    func stop() { repeater.stop() }

    func run() async throws {
        var backoff = Backoff(firstMs: 500, ceilingMs: 10_000)
        var isDone = false
        await repeater.run {
            guard !isDone else { return Self.idleMs }
            do {
                try await make()
            } catch let problem as ControlProblem {
                // A wrong address in the settings does not get better by trying again.
                logger.error("first_account_not_made", [.error: problem.description])
            } catch {
                logger.warn("first_account_waits", [.error: "\(error)"])
                return Int64(backoff.nextMs())
            }
            isDone = true
            return Self.idleMs
        }
    }

    func make() async throws {
        let count = try await pool.withConnection { connection in
            try await connection.perform { try Accounts.count($0) }
        }
        guard count == 0 else { return }
        if let email = settings.adminEmail, let password = settings.adminPassword {
            let email = try Accounts.email(email)
            let hash = try await hasher.hash(try Accounts.password(password.reveal()))
            _ = try await pool.withConnection { connection in
                try await connection.transaction { connection in
                    _ = try Accounts.create(email: email, passwordHash: hash, connection)
                    try AuditLog.add(.accountCreated, by: email, details: "by the settings", connection)
                }
            }
            logger.info("first_account_made")
            return
        }
        let token = try await pool.withConnection { connection in
            try await connection.transaction { try SetupLinks.make(invitedBy: nil, email: nil, $0) }
        }
        // Not a log line: logs are kept and passed on, and whoever has this link is the owner.
        printNow(
            "Make the first account within \(SetupLinks.hoursMax) hours: \(settings.consoleURL)/setup#\(token)"
        )
    }
}
