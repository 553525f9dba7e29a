import Foundation
import Kafka
import Testing

@testable import ControlCore

@Suite struct LineReaderTests {
    private func lines(_ bytes: [UInt8]) throws -> [[UInt8]] {
        let file = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = try #require(LineReader(path: file.path))
        var lines: [[UInt8]] = []
        while let line = try reader.next() { lines.append(line) }
        return lines
    }

    private func lines(_ text: String) throws -> [String] {
        try lines(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]),
            ("a\n\nb\n", ["a", "", "b"]),
            ("a\r\nb", ["a\r", "b"]),
        ] as [(String, [String])]
    )
    func splitsAtNewlines(text: String, expected: [String]) throws {
        #expect(try lines(text) == expected)
    }

    /// Longer than what is read at once, with borders at every place.
    @Test(arguments: [65_535, 65_536, 65_537, 131_072, 200_000]) func linesMayBeLongerThanAChunk(count: Int)
        throws
    {
        let line = String(repeating: "x", count: count)

        #expect(try lines("\(line)\ny\n\(line)").map(\.count) == [count, 1, count])
    }

    @Test func aLineBeyondTheLimitIsCut() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20)

        #expect(try lines(long + Array("\ny".utf8)).map(\.count) == [2 << 20, 1])
    }

    @Test func aMissingFileIsNil() {
        #expect(LineReader(path: "/nonexistent/file") == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PublishWindowTests {
    @Test func drainsWhenEverythingIsReported() async throws {
        let window = PublishWindow(messagesMax: 10)
        for _ in 0..<5 { await window.enter() }
        for _ in 0..<5 { window.leave(nil) }

        try await window.drain()
    }

    @Test func waitsForRoom() async throws {
        let window = PublishWindow(messagesMax: 2)
        await window.enter()
        await window.enter()
        let third = Task { await window.enter() }
        window.leave(nil)
        await third.value
        window.leave(nil)
        window.leave(nil)

        try await window.drain()
    }

    @Test func everyMessageOfManyGetsThrough() async throws {
        let window = PublishWindow(messagesMax: 3)
        for _ in 0..<1000 {
            await window.enter()
            Task { window.leave(nil) }
        }

        try await window.drain()
    }

    @Test func remembersAFailure() async throws {
        let window = PublishWindow(messagesMax: 10)
        await window.enter()
        await window.enter()
        window.leave(KafkaError(code: -185))
        window.leave(nil)

        await #expect(throws: CommandFailure.self) { try await window.drain() }
    }
}
