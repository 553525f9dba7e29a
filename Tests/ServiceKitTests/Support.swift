import Foundation
import ServiceKit
import Testing

/// Gives the test a directory of its own and removes it whatever happens.
func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "servicekit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path)
}

/// One log line as a dictionary; fails the test when it is not one JSON object.
func parsed(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
}

extension Service {
    static func test(_ logger: Logger = .silent) -> Service { Service(name: "test", logger: logger) }
}
