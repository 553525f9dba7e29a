import Foundation

/// An HTTPS server with a certificate of its own making, for the length of one test.
public struct HTTPSStub: Sendable {
    public enum Failure: Error { case noPort, noCertificate(Int32) }

    /// For `.enabled(if: HTTPSStub.isThere, "…")`.
    public static var isThere: Bool { python != nil && FileManager.default.isExecutableFile(atPath: openssl) }
    private static let openssl = "/usr/bin/openssl"
    private static let python = ProcessInfo.processInfo.environment["TEST_PYTHON"]

    public let port: Int
    /// The certificate, for whoever is to trust it.
    public let caFile: String
    private let logPath: String

    /// `https://` and the name the certificate is for.
    public var url: String { "https://localhost:\(port)" }

    /// What was asked so far: one line of JSON each, with `path`, `type` and `body`.
    public var requests: [String] {
        let text = String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().map(String.init)
    }

    public static func run(_ body: (HTTPSStub) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "stub-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (certificate, key) = (directory + "/certificate.pem", directory + "/key.pem")
        try makeCertificate(certificate, key)
        let logPath = directory + "/log"
        _ = FileManager.default.createFile(atPath: logPath, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: python ?? "")
        process.arguments = [script, certificate, key]
        process.standardOutput = FileHandle(forWritingAtPath: logPath)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Not SIGTERM: a child may inherit a mask that blocks it.
        defer { kill(process.processIdentifier, SIGKILL) }
        try await body(HTTPSStub(port: try await port(logPath), caFile: certificate, logPath: logPath))
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../HTTPClientTests/Stub/server.py").path

    private static func makeCertificate(_ certificate: String, _ key: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: openssl)
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
            certificate,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.noCertificate(process.terminationStatus) }
    }

    private static func port(_ logPath: String) async throws -> Int {
        for _ in 0..<3_000 {
            let text = String(
                decoding: FileManager.default.contents(atPath: logPath) ?? Data(),
                as: UTF8.self
            )
            if text.contains("\n"), let port = Int(text.prefix { $0.isNumber }) { return port }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure.noPort
    }
}
