import CZlib

/// Whole gzip texts (RFC 1952) in and out of memory.
///
/// Thread-safe: every call has a zlib stream of its own. Blocks for as long as the work takes.
public enum Gzip {
    /// Unpacks all members of a gzip text, one after the other.
    ///
    /// Memory follows what really comes out, never what the text claims, and stays below twice
    /// `outputBytesMax`. The checksum and the length of every member must be right.
    public static func inflate(
        _ bytes: UnsafeRawBufferPointer,
        outputBytesMax: Int
    ) throws(GzipError) -> [UInt8] {
        try checkMagic(bytes)
        let stream = try InflateStream(input: bytes)
        var output: [UInt8] = []
        // One byte more than allowed, so that exactly `outputBytesMax` and one too many differ.
        let room = outputBytesMax.addingReportingOverflow(1)
        let outputBytesEnd = room.overflow ? .max : room.partialValue
        var chunkBytes = min(firstChunkBytes(bytes), outputBytesEnd)
        while true {
            let (chunk, status) = stream.next(outputBytes: chunkBytes)
            if output.isEmpty { output = chunk } else { output += chunk }
            guard output.count <= outputBytesMax else { throw .tooLarge }
            switch status {
            case .finished: return output
            case .failed(let error): throw error
            case .outputFull: chunkBytes = min(max(output.count, 65_536), outputBytesEnd - output.count)
            }
        }
    }

    public static func inflate(_ bytes: [UInt8], outputBytesMax: Int) throws(GzipError) -> [UInt8] {
        // Through `Result`, because the closure of `withUnsafeBytes` only rethrows `any Error`.
        let result = bytes.withUnsafeBytes { raw in
            Result { () throws(GzipError) in try inflate(raw, outputBytesMax: outputBytesMax) }
        }
        return try result.get()
    }

    /// Packs `bytes` into one member, from level 1 (fast) to 9 (small).
    public static func deflate(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        precondition((0...9).contains(level), "gzip level")
        return DeflateStream.pack(bytes, level: Int32(level))
    }

    private static func checkMagic(_ bytes: UnsafeRawBufferPointer) throws(GzipError) {
        guard let first = bytes.first else { throw .truncated }
        guard first == 0x1F, bytes.count < 2 || bytes[1] == 0x8B else { throw .notGzip }
    }

    /// Most texts have one member, whose last four bytes say how much comes out: then one chunk does.
    ///
    /// The claim is only believed as far as deflate could reach, and untouched memory costs nothing.
    private static func firstChunkBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count >= 18 else { return 64 }
        let claim = UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)
        )
        return max(64, min(Int(claim), bytes.count * 1032)) + 1
    }
}
