import Foundation
import Glibc
import Testing

/// A TCP connection between services and a server that a test cuts; see Proxy/tcp_proxy.py.
struct CuttableProxy: Sendable {
    let port: Int
    private let process: ServiceProcess

    static func start(to target: Int, directory: String) async throws -> CuttableProxy {
        let port = try freePort()
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Proxy/tcp_proxy.py").path
        let process = try ServiceProcess(
            "proxy",
            program: try #require(TestSetting.python),
            arguments: [script, "\(port)", "\(target)"],
            environment: ["PATH": "/usr/bin:/bin"],
            logPath: directory + "/proxy-\(port).log"
        )
        try await wait(until: "the proxy listens") {
            guard process.isRunning else { throw Died(name: "proxy", log: process.logText) }
            return process.logText.contains("listening")
        }
        return CuttableProxy(port: port, process: process)
    }

    /// Breaks every connection and refuses new ones.
    func cut() { process.send(SIGUSR1) }
    func mend() { process.send(SIGUSR2) }
    /// Swallows everything.
    func freeze() { process.send(SIGSTOP) }
    func thaw() { process.send(SIGCONT) }

    func stop() async throws { try await process.kill() }
}
