/// Appends variable-length numbers to bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// Seven bits a byte, least significant first, the eighth bit says that more follow.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers of either sign in few bytes.
    mutating func zigzag(_ value: Int64) {
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func bits(_ values: [Bool]) {
        for start in stride(from: 0, to: values.count, by: 8) {
            var byte: UInt8 = 0
            for offset in 0..<min(8, values.count - start) where values[start + offset] {
                byte |= 1 << UInt8(offset)
            }
            bytes.append(byte)
        }
    }
}

/// Reads what `ByteWriter` wrote; every read is checked against the end.
///
/// Valid only inside the closure that lends the bytes.
struct ByteReader: ~Copyable {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { position == bytes.count }

    @inline(__always)
    mutating func varint() throws(DayBlockError) -> UInt64 {
        // Most values take one byte or two, and most reads are far from the end.
        if position + 2 <= bytes.count {
            let first = bytes[position]
            if first < 0x80 {
                position += 1
                return UInt64(first)
            }
            let second = bytes[position + 1]
            if second < 0x80 {
                position += 2
                return UInt64(first & 0x7F) | UInt64(second) << 7
            }
        }
        return try longVarint()
    }

    @inline(never)
    private mutating func longVarint() throws(DayBlockError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .damaged
    }

    mutating func zigzag() throws(DayBlockError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    @inline(__always)
    mutating func int32() throws(DayBlockError) -> Int32 {
        guard let value = UInt32(exactly: try varint()) else { throw .damaged }
        return Int32(bitPattern: value)
    }

    mutating func count(max: Int) throws(DayBlockError) -> Int {
        guard let value = Int(exactly: try varint()), value <= max else { throw .damaged }
        return value
    }

    /// As many values as `next` is asked for; the caller has checked that the bytes can hold them.
    mutating func column(
        count: Int,
        _ next: (inout ByteReader) throws(DayBlockError) -> Int32
    ) throws(DayBlockError) -> [Int32] {
        var failure: DayBlockError?
        let values = [Int32](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(DayBlockError) {
                while initialized < count {
                    buffer.initializeElement(at: initialized, to: try next(&self))
                    initialized += 1
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return values
    }

    /// Passes over varints without looking at what they say.
    mutating func skip(count: Int) throws(DayBlockError) {
        var left = count
        // Eight bytes at a time: each varint ends with the one byte whose highest bit is clear.
        while left >= 8, position + 8 <= bytes.count, let start = bytes.baseAddress {
            let word = UnsafeRawPointer(start).loadUnaligned(fromByteOffset: position, as: UInt64.self)
            left -= (~word & 0x8080_8080_8080_8080).nonzeroBitCount
            position += 8
        }
        while left > 0 {
            guard position < bytes.count else { throw .damaged }
            if bytes[position] < 0x80 { left -= 1 }
            position += 1
        }
    }

    mutating func bits(count: Int) throws(DayBlockError) -> [Bool] {
        let needed = (count + 7) / 8
        guard remaining >= needed else { throw .damaged }
        defer { position += needed }
        return [Bool](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                buffer.initializeElement(
                    at: index,
                    to: bytes[position + (index >> 3)] >> UInt8(index & 7) & 1 == 1
                )
            }
            initialized = count
        }
    }
}
