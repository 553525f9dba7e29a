/// What any text of a client must satisfy, on bytes that are known to be UTF-8.
enum TextRule {
    /// Free of control characters, U+0000 among them: tables refuse it and terminals obey the rest.
    static func isClean(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in utf8 {
            if byte < 0x20 || byte == 0x7F { return false }
            // U+0080...U+009F are the two-byte sequences C2 80 ... C2 9F.
            if previous == 0xC2, byte < 0xA0 { return false }
            previous = byte
        }
        return true
    }

    /// Unicode scalars, counted by the bytes that begin one.
    static func scalars(in utf8: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for byte in utf8 where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// Only white space, in any script.
    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.generalCategory == .format
        }
    }
}
