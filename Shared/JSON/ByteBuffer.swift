/// Bytes that grow at the end, with one check of the room for each piece.
///
/// An array that is longer than what it holds: appending to an array byte by byte costs several times as
/// much.
struct ByteBuffer: Sendable {
    private var storage: [UInt8]
    var count = 0

    init(reservingBytes count: Int) {
        storage = [UInt8](repeating: 0, count: count)
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = count
        return try storage.withUnsafeBufferPointer { storage throws(Failure) in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: storage[..<count])))
        }
    }

    /// Lets `body` put at most `bytesMax` bytes behind those that are there.
    @inline(__always)
    mutating func append(bytesMax: Int, _ body: (inout Output) -> Void) {
        if storage.count &- count < bytesMax { grow(by: bytesMax) }
        let start = count
        count = storage.withUnsafeMutableBytes { bytes in
            var output = Output(bytes: bytes, index: start)
            body(&output)
            return output.index
        }
    }

    @inline(never)
    private mutating func grow(by bytesMax: Int) {
        let added = max(bytesMax, storage.count, 256)
        storage.append(contentsOf: repeatElement(0, count: added))
    }

    /// Where to write next; the room has been made, so only debug builds check it again.
    struct Output {
        let bytes: UnsafeMutableRawBufferPointer
        var index: Int

        @inline(__always)
        mutating func put(_ byte: UInt8) {
            bytes[index] = byte
            index &+= 1
        }

        @inline(__always)
        mutating func put(_ byte: UInt8, if condition: Bool) {
            if condition { put(byte) }
        }

        @inline(__always)
        mutating func put(_ source: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: bytes[index...]).copyMemory(from: source)
            index &+= source.count
        }

        mutating func putDecimal(_ value: Int64) {
            put(UInt8(ascii: "-"), if: value < 0)
            var rest = value.magnitude
            var digitCount = 1
            var bound: UInt64 = 10
            while digitCount < 19, rest >= bound {
                digitCount &+= 1
                bound &*= 10
            }
            var position = index &+ digitCount
            index = position
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                position &-= 1
                bytes[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
        }
    }
}
