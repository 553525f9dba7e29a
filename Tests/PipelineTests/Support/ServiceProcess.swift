import Foundation
import Glibc

/// A process of ours that a test started: its log, its signals and its end.
///
/// The log goes to a file rather than a pipe, so that it is whole even after SIGKILL and never holds the process up.
final class ServiceProcess: Sendable {
    let name: String
    let logPath: String
    private let process: Process

    init(
        _ name: String,
        program: String,
        arguments: [String] = [],
        environment: [String: String],
        logPath: String
    ) throws {
        self.name = name
        self.logPath = logPath
        process = Process()
        guard FileManager.default.createFile(atPath: logPath, contents: nil),
            let log = FileHandle(forWritingAtPath: logPath)
        else { throw CocoaError(.fileWriteUnknown) }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        try log.close()
    }

    /// Whoever forgets to stop it must not leave it behind.
    deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

    var isRunning: Bool { process.isRunning }
    var identifier: Int32 { process.processIdentifier }

    func send(_ signal: Int32) {
        if process.isRunning { Glibc.kill(process.processIdentifier, signal) }
    }

    /// Waits for the end; a negative number is the signal that ended it.
    func exitCode(seconds: Int = 60) async throws -> Int32 {
        try await wait(until: "\(name) ends", seconds: seconds) { !process.isRunning }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    @discardableResult
    func terminate() async throws -> Int32 {
        send(SIGTERM)
        return try await exitCode()
    }

    /// Ends it without a chance to finish anything.
    func kill() async throws {
        send(SIGKILL)
        _ = try await exitCode()
    }

    var logText: String {
        String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
    }

    /// The log lines, as far as they are JSON; the last may be half written.
    var log: [JSON] {
        logText.split(separator: "\n").compactMap { try? JSON(parsing: Array($0.utf8)) }
    }

    func logged(_ event: String) -> [JSON] { log.filter { $0["event"].string == event } }

    /// Waits for a log line of this event.
    @discardableResult
    func line(_ event: String, where matches: (JSON) -> Bool = { _ in true }) async throws -> JSON {
        try await wait(for: "\(name) logs \(event)") {
            if let line = logged(event).first(where: matches) { return line }
            guard isRunning else { throw Died(name: name, log: String(logText.suffix(2_000))) }
            return nil
        }
    }

    /// The port a part of the service listens on, as it says itself.
    func port(of component: String) async throws -> Int {
        let line = try await line("listening") { $0["component"].string == component }
        guard let port = line["port"].int else { throw NeverHappened(what: "a port", seconds: 0) }
        return port
    }
}

/// A process ended although the test was not done with it.
struct Died: Error, CustomStringConvertible {
    let name: String
    let log: String

    var description: String { "\(name) ended by itself: \(log)" }
}
