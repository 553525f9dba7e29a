import Foundation
import Glibc
import Postgres
import Synchronization
import Testing

/// A Postgres server of a test's own, which it may stop in every way.
final class OwnPostgres: Sendable {
    private static let binaries =
        ProcessInfo.processInfo.environment["TEST_POSTGRES_BIN"] ?? "/usr/lib/postgresql/15/bin"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: binaries + "/postgres") }

    let port: Int
    private let directory: String
    private let server = Mutex<ServiceProcess?>(nil)
    private let starts = Atomic(0)

    /// As the owner of everything.
    var url: String { "postgresql://postgres@127.0.0.1:\(port)/postgres" }

    private init(port: Int, directory: String) {
        (self.port, self.directory) = (port, directory)
    }

    /// Runs `body` with a server that is gone afterwards, whatever happens.
    static func run(directory: String, _ body: (OwnPostgres) async throws -> Void) async throws {
        let postgres = OwnPostgres(port: try freePort(), directory: directory)
        try await postgres.initialize()
        let outcome: Result<Void, any Error>
        do {
            try await postgres.start()
            outcome = .success(try await body(postgres))
        } catch {
            outcome = .failure(error)
        }
        try await postgres.stop(signal: SIGQUIT)
        try outcome.get()
    }

    /// Ends every session and starts again, with a clean shutdown in between (SIGINT) or as after a crash (SIGQUIT).
    func restart(signal: Int32) async throws {
        try await stop(signal: signal)
        try await start()
    }

    private var data: String { directory + "/postgres" }

    private func initialize() async throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        if geteuid() == 0, let user = getpwnam("postgres") {
            try #require(chown(data, user.pointee.pw_uid, user.pointee.pw_gid) == 0)
        }
        let made = try launch(
            "initdb",
            ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"]
        )
        guard try await made.exitCode() == 0 else { throw Died(name: "initdb", log: made.logText) }
    }

    private func start() async throws {
        // A commit must outlive the crash of the server, which writing to the kernel is enough for.
        let process = try launch(
            "postgres",
            [
                "-D", data, "-p", "\(port)", "-c", "listen_addresses=127.0.0.1", "-c",
                "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=100",
            ]
        )
        server.withLock { $0 = process }
        try await wait(until: "Postgres takes connections") {
            guard process.isRunning else { throw Died(name: "postgres", log: process.logText) }
            guard let connection = try? await PostgresConnection(url: url, applicationName: "test") else {
                return false
            }
            await connection.close()
            return true
        }
    }

    private func stop(signal: Int32) async throws {
        guard let process = server.withLock({ $0 }), process.isRunning else { return }
        process.send(signal)
        _ = try await process.exitCode()
    }

    /// Postgres refuses to run as root: there it runs as the package's own user.
    private func launch(_ name: String, _ arguments: [String]) throws -> ServiceProcess {
        let number = starts.add(1, ordering: .relaxed).newValue
        let program = Self.binaries + "/" + name
        let isRoot = geteuid() == 0
        let drop = ["--reuid=postgres", "--regid=postgres", "--init-groups", "--", program]
        return try ServiceProcess(
            name,
            program: isRoot ? "/usr/bin/setpriv" : program,
            arguments: (isRoot ? drop : []) + arguments,
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
            logPath: directory + "/\(number)-\(name).log"
        )
    }
}
