/// What RFC 8259 section 7 wants escaped: quote, backslash, and the controls below U+0020.
enum JSONEscape {
    /// First byte from `start` that needs an escape, or `utf8.count`; eight bytes at a time.
    @inline(__always)
    static func firstIndex(in utf8: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= utf8.count {
            let word = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = mask(word)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < utf8.count, !needsEscape(utf8[index]) { index &+= 1 }
        return index
    }

    /// Puts `utf8` with its escapes, copying the runs between them at once.
    static func put(_ utf8: UnsafeRawBufferPointer, to output: inout ByteBuffer.Output) {
        var runStart = 0
        while true {
            let next = firstIndex(in: utf8, from: runStart)
            output.put(UnsafeRawBufferPointer(rebasing: utf8[runStart..<next]))
            guard next < utf8.count else { return }
            put(utf8[next], to: &output)
            runStart = next + 1
        }
    }

    private static func put(_ byte: UInt8, to output: inout ByteBuffer.Output) {
        output.put(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return output.put(byte) }
        output.put(UInt8(ascii: "u"))
        output.put(UInt8(ascii: "0"))
        output.put(UInt8(ascii: "0"))
        output.put(hex(byte >> 4))
        output.put(hex(byte & 0xF))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    /// Sets the top bit of bytes that need an escape.
    ///
    /// A borrow can also mark a byte above a marked one, never one below: the lowest mark is always true.
    @inline(__always)
    private static func mask(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & tops
    }
}
