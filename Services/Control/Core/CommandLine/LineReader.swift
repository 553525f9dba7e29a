import Foundation

/// Reads a file or standard input line by line in bounded memory.
final class LineReader {
    /// A batch has at most 1 MiB; a longer line is no batch and is cut, which makes it a refused one.
    private static let lineBytesMax = 2 << 20
    private static let chunkBytes = 1 << 16
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Nil when the file cannot be opened; `-` is standard input.
    init?(path: String) {
        if path == "-" {
            handle = .standardInput
        } else if let opened = FileHandle(forReadingAtPath: path) {
            handle = opened
        } else {
            return nil
        }
    }

    /// The next line without its newline, or nil at the end.
    func next() throws -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let newline = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                append(buffer[position..<newline], to: &line)
                position = newline + 1
                return line
            }
            append(buffer[position...], to: &line)
            buffer = []
            position = 0
            if isAtEnd { return line.isEmpty ? nil : line }
            let chunk = try handle.read(upToCount: Self.chunkBytes) ?? Data()
            isAtEnd = chunk.isEmpty
            buffer = Array(chunk)
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line.append(contentsOf: bytes.prefix(max(0, Self.lineBytesMax - line.count)))
    }
}
