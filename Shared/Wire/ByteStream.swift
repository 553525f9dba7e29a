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
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { position == bytes.count }

    mutating func varint() throws(DayBlockError) -> UInt64 {
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

    mutating func int32() throws(DayBlockError) -> Int32 {
        guard let value = UInt32(exactly: try varint()) else { throw .damaged }
        return Int32(bitPattern: value)
    }

    mutating func count(max: Int) throws(DayBlockError) -> Int {
        guard let value = Int(exactly: try varint()), value <= max else { throw .damaged }
        return value
    }

    mutating func bits(count: Int) throws(DayBlockError) -> [Bool] {
        let needed = (count + 7) / 8
        guard remaining >= needed else { throw .damaged }
        defer { position += needed }
        return (0..<count).map { bytes[position + $0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    }
}
