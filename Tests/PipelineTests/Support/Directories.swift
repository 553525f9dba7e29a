import Foundation

/// A directory that is removed whatever happens.
func withDirectory(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipeline-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// A broker with a directory, both gone afterwards.
func withBroker(_ body: (Broker) async throws -> Void) async throws {
    try await withDirectory { directory in
        try await Broker.run(port: try freePort(), directory: directory, body)
    }
}
