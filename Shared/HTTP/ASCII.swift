/// What HTTP says about single bytes.
enum ASCII {
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    static func equalIgnoringCase(
        _ left: UnsafeBufferPointer<UInt8>,
        _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where lowercased(left[index]) != lowercased(right[index]) {
            return false
        }
        return true
    }

    static func equalIgnoringCase(_ left: UnsafeBufferPointer<UInt8>, _ right: StaticString) -> Bool {
        equalIgnoringCase(
            left,
            UnsafeBufferPointer(start: right.utf8Start, count: right.utf8CodeUnitCount)
        )
    }

    /// RFC 9110 `tchar`: what a header name may consist of.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"): true
        case UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"): true
        case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): true
        case UInt8(ascii: "~"): true
        default: false
        }
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
