import Foundation

/// Debian's nginx with `deploy/nginx/edge.conf`, in front of several ingests of a test.
struct Nginx: Sendable {
    static let program = "/usr/sbin/nginx"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let port: Int
    let process: ServiceProcess

    static func run(
        before ports: [Int],
        directory: String,
        _ body: (Nginx) async throws -> Void
    ) async throws {
        let port = try freePort()
        let folder = directory + "/edge"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/edge.conf"
        try configuration(before: ports, port: port, folder: folder)
            .write(toFile: path, atomically: true, encoding: .utf8)
        let process = try ServiceProcess(
            "nginx",
            program: program,
            arguments: ["-e", "stderr", "-p", folder, "-c", path],
            environment: [:],
            logPath: folder + "/nginx.log"
        )
        let outcome: Result<Void, any Error>
        do {
            try await wait(until: "nginx listens") {
                guard process.isRunning else { throw Died(name: "nginx", log: process.logText) }
                return (try? await HTTPCall(port: port, target: "/edge/healthz").answer())?.status == 200
            }
            outcome = .success(try await body(Nginx(port: port, process: process)))
        } catch {
            outcome = .failure(error)
        }
        // A single process of nginx keeps the signal mask of the thread that started it, and that may block SIGTERM.
        try await process.kill()
        try outcome.get()
    }

    /// Ours, for here: these servers, no Docker name server, files below a folder, and without `resolve`, which Debian's nginx lacks.
    private static func configuration(before ports: [Int], port: Int, folder: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/nginx/edge.conf")
        var lines: [String] = ["daemon off;", "master_process off;"]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("resolver ") { continue }
            if text.hasPrefix("server ingest:") {
                lines += ports.map { "server 127.0.0.1:\($0) max_fails=3 fail_timeout=5s;" }
            } else if text.hasPrefix("server reader:") || text.hasPrefix("server console:") {
                lines.append("server 127.0.0.1:9;")
            } else if text.hasPrefix("listen ") {
                lines.append("listen 127.0.0.1:\(port);")
            } else {
                lines.append(
                    String(line).replacing("/tmp/", with: folder + "/").replacing(
                        "/dev/stdout",
                        with: folder + "/access.log"
                    )
                    .replacing("/dev/stderr", with: folder + "/error.log")
                )
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
