/// Base 64 without padding (RFC 4648), in one of its two alphabets.
///
/// Decoding is strict: no padding, no blanks, and no bits that encode nothing, so that every value has
/// exactly one spelling.
public struct Base64: Sendable {
    /// For URLs, cookies and cursors.
    public static let url = Base64(alphabet: "-_")
    /// For password hashes.
    public static let standard = Base64(alphabet: "+/")

    private let digits: [UInt8]
    private let values: [UInt8]

    private init(alphabet lastTwo: String) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        digits = Array((letters + letters.lowercased() + "0123456789" + lastTwo).utf8)
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    public func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count * 8 + 5) / 6
        return String(unsafeUninitializedCapacity: count) { buffer in
            var bits: UInt32 = 0
            var bitCount = 0
            var written = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    buffer[written] = digits[Int(bits >> UInt32(bitCount)) & 63]
                    written += 1
                }
            }
            if bitCount > 0 { buffer[written] = digits[Int(bits << UInt32(6 - bitCount)) & 63] }
            return count
        }
    }

    /// Returns nil for anything `encode` would not have written.
    public func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in text.utf8 {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        guard bitCount < 6, bits & ((1 << UInt32(bitCount)) - 1) == 0 else { return nil }
        return bytes
    }
}
