import Foundation

/// What a shell made of a command.
struct ShellResult: Sendable {
    let exitCode: Int32
    let output: [UInt8]
    var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs commands as a reader of our pages would, in a directory that has the settings they begin with.
struct Shell: Sendable {
    let directory: String

    /// - Parameter settings: become `.run/dev.env`.
    init(directory: String, settings: [String: String]) throws {
        self.directory = directory
        try FileManager.default.createDirectory(
            atPath: directory + "/.run",
            withIntermediateDirectories: true
        )
        let lines = settings.sorted { $0.key < $1.key }.map { "export \($0.key)='\($0.value)'\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: directory + "/.run/dev.env"))
    }

    func run(_ command: String) async throws -> ShellResult {
        let script = directory + "/command.sh"
        try Data(("set -euo pipefail\nsource .run/dev.env\n" + command + "\n").utf8).write(
            to: URL(filePath: script)
        )
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [script]
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory]
        let path = directory + "/output"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let output = try FileHandle(forWritingTo: URL(filePath: path))
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try output.close()
        try await wait(until: "the command ends") { !process.isRunning }
        return ShellResult(
            exitCode: process.terminationStatus,
            output: Array(FileManager.default.contents(atPath: path) ?? Data())
        )
    }
}
