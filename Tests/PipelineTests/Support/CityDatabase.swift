import Foundation
import Glibc
import Testing

/// The file of a city database, replaced as operators do it: written beside it and renamed over it.
struct CityDatabase: Sendable {
    let path: String

    /// - Parameter records: such as `81.2.69.0/24=GB/London`.
    func replace(with records: [String]) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Geo/city_mmdb.py").path
        let process = try ServiceProcess(
            "city_mmdb",
            program: try #require(TestSetting.python),
            arguments: [script, path + ".new"] + records,
            environment: ["PATH": "/usr/bin:/bin"],
            logPath: path + ".log"
        )
        guard try await process.exitCode() == 0 else { throw Died(name: "city_mmdb", log: process.logText) }
        try takeOver()
    }

    func replace(withBytes bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path + ".new"))
        try takeOver()
    }

    private func takeOver() throws { try #require(rename(path + ".new", path) == 0) }
}
