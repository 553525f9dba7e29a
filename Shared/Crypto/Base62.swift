/// Letters and digits only: for keys that people copy with a double click.
public enum Base62 {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// A secret of `count` characters, each worth 5.95 bits.
    public static func random(_ count: Int) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        while text.count < count {
            // 248 is the greatest multiple of 62 in a byte: the rest would make some digits likelier.
            let fair = SecureRandom.bytes(count + 16).lazy.filter { $0 < 248 }
            text += fair.prefix(count - text.count).map { digits[Int($0) % 62] }
        }
        return String(decoding: text, as: UTF8.self)
    }

    public static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { digits.contains($0) }
    }

    /// The bytes as one big-endian number, always with the same number of digits for the same number of
    /// bytes.
    ///
    /// Takes time with the square of the length: for identifiers, not for data.
    public static func encode(_ bytes: [UInt8]) -> String {
        var number = bytes
        var text = [UInt8](repeating: digits[0], count: length(ofBytes: bytes.count))
        for index in text.indices.reversed() {
            var remainder = 0
            for place in number.indices {
                let value = remainder << 8 | Int(number[place])
                number[place] = UInt8(value / 62)
                remainder = value % 62
            }
            text[index] = digits[remainder]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Digits that hold every number of that many bytes.
    static func length(ofBytes count: Int) -> Int {
        // log 256 / log 62 = 1.3435902…, rounded up; exact for every length below two thousand bytes.
        (count * 1_343_591 + 999_999) / 1_000_000
    }
}
