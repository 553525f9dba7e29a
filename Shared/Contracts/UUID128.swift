/// A UUID as the 128-bit number it is.
///
/// Only the hyphenated 36-character spelling is read, in either case, so that one device can never become
/// two because one stage compares text and another compares values. Always printed in lower case.
public struct UUID128: Hashable, Sendable, Comparable {
    public let high: UInt64
    public let low: UInt64

    public static let textBytes = 36
    public static let zero = UUID128(high: 0, low: 0)

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`; anything else is nil.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ UUID128(utf8: $0) }) else { return nil }
        self = value
    }

    /// Reads the text form from bytes, without making a string.
    public init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == Self.textBytes, bytes[8] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: "-"),
            bytes[18] == UInt8(ascii: "-"), bytes[23] == UInt8(ascii: "-"),
            let first = hexValue(bytes, 0..<8), let second = hexValue(bytes, 9..<13),
            let third = hexValue(bytes, 14..<18), let fourth = hexValue(bytes, 19..<23),
            let fifth = hexValue(bytes, 24..<36)
        else { return nil }
        high = first << 32 | second << 16 | third
        low = fourth << 48 | fifth
    }

    public static func < (left: UUID128, right: UUID128) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// Calls `body` with each of the 36 characters of the lower-case text form.
    @inlinable
    public func forEachTextByte(_ body: (UInt8) -> Void) {
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { body(UInt8(ascii: "-")) }
            let half = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - (index & 15) * 4)) & 0xF
            body(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }

    /// The sixteen bytes in network order.
    public var bytes: [UInt8] {
        (0..<16).map { index in
            UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - (index & 7) * 8))
        }
    }

    /// Takes the first sixteen bytes in network order; nil when there are fewer.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count >= 16 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.prefix(16).enumerated() {
            if index < 8 {
                halves.0 = halves.0 << 8 | UInt64(byte)
            } else {
                halves.1 = halves.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: halves.0, low: halves.1)
    }
}

extension UUID128: CustomStringConvertible {
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.textBytes)
        forEachTextByte { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Nil unless every byte of the range is a hexadecimal digit.
@inline(__always)
private func hexValue(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt64? {
    var value: UInt64 = 0
    for index in range {
        guard let digit = hexDigitValue(bytes[index]) else { return nil }
        value = value << 4 | digit
    }
    return value
}

@inline(__always)
private func hexDigitValue(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
