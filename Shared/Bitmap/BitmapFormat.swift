/// The bytes are no bitmap in Roaring's portable format; a retry never helps.
public enum BitmapFormatError: String, Error, Sendable {
    case malformed
}

/// Checks Roaring's portable format (RoaringFormatSpec): cookie, key and count of each container, offsets,
/// data.
///
/// Everything that later reads rely on: ascending keys, sorted values, counts that are true, nothing left
/// over.
enum BitmapFormat {
    private static let cookieWithoutRuns: UInt32 = 12_346
    private static let cookieWithRuns: UInt32 = 12_347
    /// With runs, offsets are only written from this many containers on.
    private static let offsetsFrom = 4
    private static let arrayCountMax = 4096
    private static let bitsetBytes = 8192

    static func check(_ bytes: [UInt8]) throws(BitmapFormatError) {
        var reader = Reader(bytes: bytes)
        let cookie = try reader.u32()
        let hasRuns = cookie & 0xFFFF == cookieWithRuns
        guard hasRuns || cookie == cookieWithoutRuns else { throw .malformed }
        let count = hasRuns ? Int(cookie >> 16) + 1 : Int(try reader.u32())
        guard count <= 65_536 else { throw .malformed }
        let runFlags = hasRuns ? try reader.take((count + 7) / 8) : []
        let counts = try checkKeys(&reader, count: count)
        let offsets = hasRuns && count < offsetsFrom ? nil : try reader.u32s(count)
        for index in 0..<count {
            if let offsets, Int(offsets[index]) != reader.index { throw .malformed }
            let isRun = hasRuns && runFlags[runFlags.startIndex + index / 8] >> (index % 8) & 1 == 1
            try checkContainer(&reader, count: counts[index], isRun: isRun)
        }
        guard reader.index == bytes.count else { throw .malformed }
    }

    private static func checkKeys(_ reader: inout Reader, count: Int) throws(BitmapFormatError) -> [Int] {
        var counts: [Int] = []
        var previous = -1
        for _ in 0..<count {
            let key = Int(try reader.u16())
            guard key > previous else { throw .malformed }
            previous = key
            counts.append(Int(try reader.u16()) + 1)
        }
        return counts
    }

    private static func checkContainer(
        _ reader: inout Reader,
        count: Int,
        isRun: Bool
    ) throws(BitmapFormatError) {
        if isRun {
            try checkRuns(&reader, count: count)
        } else if count <= arrayCountMax {
            var previous = -1
            for _ in 0..<count {
                let value = Int(try reader.u16())
                guard value > previous else { throw .malformed }
                previous = value
            }
        } else {
            let bits = try reader.take(bitsetBytes).reduce(0) { $0 + $1.nonzeroBitCount }
            guard bits == count else { throw .malformed }
        }
    }

    private static func checkRuns(_ reader: inout Reader, count: Int) throws(BitmapFormatError) {
        var sum = 0
        var previousEnd = -1
        for _ in 0..<Int(try reader.u16()) {
            let start = Int(try reader.u16())
            let length = Int(try reader.u16())
            guard start > previousEnd, start + length <= 0xFFFF else { throw .malformed }
            previousEnd = start + length
            sum += length + 1
        }
        guard sum == count else { throw .malformed }
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func take(_ count: Int) throws(BitmapFormatError) -> ArraySlice<UInt8> {
            guard bytes.count - index >= count else { throw .malformed }
            defer { index += count }
            return bytes[index..<index + count]
        }

        mutating func u16() throws(BitmapFormatError) -> UInt16 {
            guard bytes.count - index >= 2 else { throw .malformed }
            defer { index += 2 }
            return UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
        }

        mutating func u32() throws(BitmapFormatError) -> UInt32 {
            UInt32(try u16()) | UInt32(try u16()) << 16
        }

        mutating func u32s(_ count: Int) throws(BitmapFormatError) -> [UInt32] {
            var words: [UInt32] = []
            for _ in 0..<count { words.append(try u32()) }
            return words
        }
    }
}
