import Foundation
import Testing

/// A whole installation with a console, in which flows of Console/flow.py act as people do.
struct ConsoleWorld: Sendable {
    @TaskLocal static var current: ConsoleWorld?

    static let email = "owner@example.com"
    static let password = "a password for tests 7"
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    let stack: Stack
    let console: RunningService
    private let settings: [String: String]

    /// - Parameter hasAccount: without one, the console prints a link for the first.
    static func run(hasAccount: Bool = true, _ body: (ConsoleWorld) async throws -> Void) async throws {
        try await Stack.run { stack in
            let ingest = try await stack.start(.ingest)
            let reader = try await stack.start(.reader)
            _ = try await stack.start(.aggregator, ["AGGREGATOR_APP_CHANGES_INTERVAL_MS": "200"])
            let port = try freePort()
            var settings = [
                "CONSOLE_URL": "http://127.0.0.1:\(port)",
                "INGEST_URL": "http://127.0.0.1:\(ingest.servicePort ?? 0)",
                "READ_URL": "http://127.0.0.1:\(reader.servicePort ?? 0)",
            ]
            var console = [
                "CONSOLE_PORT": "\(port)", "CONSOLE_URL": settings["CONSOLE_URL"] ?? "",
                "INGEST_PUBLIC_URL": settings["INGEST_URL"] ?? "",
                "READ_PUBLIC_URL": settings["READ_URL"] ?? "",
            ]
            settings["ADMIN_EMAIL"] = email
            settings["ADMIN_PASSWORD"] = password
            if hasAccount {
                console["ADMIN_EMAIL"] = email
                console["ADMIN_PASSWORD"] = password
            }
            let service = try await stack.start(.console, console)
            if hasAccount { try await service.process.line("first_account_made") }
            try await body(ConsoleWorld(stack: stack, console: service, settings: settings))
        }
    }

    /// The link for the first account, as the console prints it.
    func setupLink() async throws -> String {
        try await wait(for: "the console prints a link") {
            console.process.logText.split(whereSeparator: \.isWhitespace).map(String.init).first {
                $0.contains("/setup#")
            }
        }
    }

    /// Runs one flow in a browser of its own; it throws what the flow printed when it fails.
    func flow(_ name: String, _ more: [String: String] = [:]) async throws {
        var environment = settings.merging(try stack.fgctlEnvironment()) { $1 }.merging(more) { $1 }
        environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        environment["HOME"] = stack.directory
        environment["TMPDIR"] = stack.directory
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        let pictures = ProcessInfo.processInfo.environment["TEST_PICTURES"] ?? stack.directory
        let process = try ServiceProcess(
            name,
            program: try #require(TestSetting.python),
            arguments: [Self.sources.appending(path: "Console/flow.py").path, name, pictures],
            environment: environment,
            logPath: stack.directory + "/\(name).log"
        )
        let code: Int32
        do {
            code = try await process.exitCode(seconds: 360)
        } catch {
            // It ends its browser on this signal too.
            _ = try await process.terminate()
            throw error
        }
        guard code == 0 else { throw FlowFailed(name: name, log: process.logText) }
    }
}

/// A flow did not come to its end.
struct FlowFailed: Error, CustomStringConvertible {
    let name: String
    let log: String

    var description: String { "\(name): \(log)" }
}

extension Stack {
    /// What a script needs to run fgctl on this stack.
    func fgctlEnvironment() throws -> [String: String] {
        fgctlSettings.merging(["FGCTL": try TestSetting.executable("fgctl")]) { $1 }
    }
}

struct ConsoleTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await ConsoleWorld.run { world in
            try await ConsoleWorld.$current.withValue(world) { try await function() }
        }
    }
}

extension Trait where Self == ConsoleTrait {
    static var console: Self { ConsoleTrait() }
}
