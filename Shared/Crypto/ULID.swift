/// A 128-bit identifier that sorts by time: 48 bits of milliseconds, 80 random bits.
public struct ULID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Big-endian halves: time and 16 random bits, then 64 random bits.
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public var ms: Int64 { Int64(high >> 16) }

    public static func < (left: ULID, right: ULID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// The 26 characters of Crockford's base 32.
    public var description: String {
        String(unsafeUninitializedCapacity: 26) { buffer in
            var high = high
            var low = low
            for index in stride(from: 25, through: 0, by: -1) {
                buffer[index] = Self.digit(UInt8(truncatingIfNeeded: low & 31))
                low = low >> 5 | high << 59
                high >>= 5
            }
            return 26
        }
    }

    /// Crockford leaves out I, L, O and U.
    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0...9: UInt8(ascii: "0") + value
        case 10...17: UInt8(ascii: "A") + value - 10
        case 18, 19: UInt8(ascii: "J") + value - 18
        case 20, 21: UInt8(ascii: "M") + value - 20
        case 22...26: UInt8(ascii: "P") + value - 22
        default: UInt8(ascii: "V") + value - 27
        }
    }
}
