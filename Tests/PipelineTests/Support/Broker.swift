import Foundation
import Glibc
import Testing

/// A development broker of a test's own, which it may stop and freeze.
struct Broker: Sendable {
    let port: Int
    let process: ServiceProcess
    var address: String { "127.0.0.1:\(port)" }

    static func start(port: Int, directory: String) async throws -> Broker {
        let program = try #require(TestSetting.brokerProgram)
        let data = directory + "/broker-\(port)"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let process = try ServiceProcess(
            "broker",
            program: program,
            arguments: [
                "start", "--only", "kafka", "--host", "127.0.0.1", "--kafka-port", "\(port)", "--data-dir",
                data,
            ],
            environment: [:],
            logPath: directory + "/broker-\(port).log"
        )
        try await wait(until: "the broker listens") {
            guard process.isRunning else { throw Died(name: "broker", log: process.logText) }
            // It speaks no HTTP: any end of the exchange but a refused connection shows that it is there.
            do {
                _ = try await HTTPCall(port: port, target: "/", secondsMax: 1).answer()
            } catch let error as HTTPCallError {
                return error.code != ECONNREFUSED
            }
            return true
        }
        return Broker(port: port, process: process)
    }

    func freeze() { process.send(SIGSTOP) }
    func thaw() { process.send(SIGCONT) }

    /// Runs `body` with a broker that is gone afterwards, whatever happens.
    static func run(port: Int, directory: String, _ body: (Broker) async throws -> Void) async throws {
        let broker = try await start(port: port, directory: directory)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(broker)) } catch { outcome = .failure(error) }
        // Also ends a frozen one; nobody needs what it would save.
        try await broker.process.kill()
        try outcome.get()
    }
}
