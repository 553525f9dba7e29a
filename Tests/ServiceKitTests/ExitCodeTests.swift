import Foundation
import ServiceKit
import Testing

/// Goal: what an operator or a supervisor sees of a process is what `runService` promises.
///
/// Method: the executable ServiceKitProbe, which lies beside the test's own.
@Suite(.timeLimit(.minutes(1))) struct ExitCodeTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsItCleanly(number: Int32) async throws {
        let probe = try Probe(["PROBE_MODE": "wait"])

        let end = try await probe.finish(with: number)

        #expect(end.code == 0)
        #expect(try events(end) == ["started", "stopping", "stopped"])
    }

    @Test func aComponentThatThrowsExitsWithOne() async throws {
        let end = try await Probe(["PROBE_MODE": "fail"]).finish()

        #expect(end.code == 1)
        #expect(try events(end, level: "error") == ["component_failed"])
    }

    @Test func aServiceThatCannotBeBuiltExitsWithOne() async throws {
        let end = try await Probe(["PROBE_MODE": "refuse"]).finish()

        #expect(end.code == 1)
        #expect(try events(end) == ["start_failed"])
    }

    @Test func aSignalWhileBuildingEndsIt() async throws {
        let end = try await Probe(["PROBE_MODE": "hang_building"]).finish(with: SIGTERM)

        #expect(end.code == 0)
        #expect(try events(end) == ["stopped"])
    }

    @Test func badSettingsAreAllReported() async throws {
        let end = try await Probe([
            "PROBE_MODE": "x", "PROBE_PORT": "y", "PROBE_PROT": "1", "LOG_LEVEL": "loud",
        ])
        .finish()

        #expect(end.code == 78)
        let settings = try end.lines.map { try parsed($0)["setting"] as? String }
        #expect(settings == ["LOG_LEVEL", "PROBE_PORT", "PROBE_MODE", "PROBE_PROT"])
    }

    @Test func theDrainDeadlineExitsWithOne() async throws {
        let end = try await Probe(["PROBE_MODE": "overstay", "PROBE_DRAIN_MS": "50"]).finish(with: SIGTERM)

        #expect(end.code == 1)
        #expect(try events(end, level: "error") == ["drain_deadline_passed"])
    }

    @Test func blockedThreadsDoNotOutlastTheDeadline() async throws {
        let end = try await Probe(["PROBE_MODE": "block", "PROBE_DRAIN_MS": "50"]).finish(with: SIGTERM)

        #expect(end.code == 1)
        #expect(try events(end, level: "error") == ["stuck"])
    }

    @Test func helpListsTheSettings() async throws {
        let end = try await Probe(["PROBE_PORT": "not looked at"], ["--help"]).finish()

        #expect(end.code == 0)
        for text in [
            "probe \(BuildInfo.version)\n",
            "  PROBE_PORT=8080\n      Not used. Expects a whole number in 0...65535.\n",
            "  LOG_LEVEL=info\n", "  PROBE_DRAIN_MS=20000\n", "PROBE_TOKEN_FILE",
        ] {
            #expect(end.output.contains(text))
        }
    }

    @Test func versionIsPrinted() async throws {
        let end = try await Probe([:], ["--version"]).finish()

        #expect(end.code == 0)
        #expect(end.output == "probe \(BuildInfo.version) (\(BuildInfo.build))\n")
    }

    @Test func anUnknownArgumentIsRefused() async throws {
        let end = try await Probe([:], ["--verison"]).finish()

        #expect(end.code == 64)
        #expect(try events(end) == ["unknown_argument"])
    }

    private func events(_ end: Probe.End, level: String? = nil) throws -> [String] {
        try end.lines.map(parsed)
            .filter { level == nil || $0["level"] as? String == level }
            .compactMap { $0["event"] as? String }
    }
}

/// A running probe.
private struct Probe {
    struct End {
        let code: Int32
        let output: String
        let lines: [String]
    }

    private let process = Process()
    private let output = Pipe()
    private let log = Pipe()

    init(_ environment: [String: String], _ arguments: [String] = []) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: own).deletingLastPathComponent().appending(
            path: "ServiceKitProbe"
        )
        process.environment = environment
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = log
        try process.run()
    }

    /// Waits for the end, after sending a signal once the probe says that it is ready.
    ///
    /// On a thread of its own: a wait on Swift's pool would hold up the other tests.
    func finish(with number: Int32? = nil) async throws -> End {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "probe").async {
                continuation.resume(with: Result { try wait(with: number) })
            }
        }
    }

    private func wait(with number: Int32?) throws -> End {
        var said = Data()
        if let number {
            said = output.fileHandleForReading.availableData
            kill(process.processIdentifier, number)
        }
        said += try output.fileHandleForReading.readToEnd() ?? Data()
        let lines = try log.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return End(
            code: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: String(decoding: said, as: UTF8.self),
            lines: String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }
}
