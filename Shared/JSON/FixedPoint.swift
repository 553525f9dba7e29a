/// Decimal notation without an exponent.
enum FixedPoint {
    /// The shortest digits that read back as `value`, which must be finite; a point always.
    static func digits(of value: Double) -> [UInt8] {
        let shortest = Array(value.description.utf8)
        let mark = shortest.firstIndex(of: UInt8(ascii: "e"))
        let mantissa = shortest[..<(mark ?? shortest.endIndex)]
        let isNegative = mantissa.first == UInt8(ascii: "-")
        let unsigned = mantissa.drop { $0 == UInt8(ascii: "-") }
        let point = unsigned.firstIndex(of: UInt8(ascii: ".")) ?? unsigned.endIndex
        let digits = unsigned.filter { $0 != UInt8(ascii: ".") }
        let shift = mark.flatMap { Int(String(decoding: shortest[($0 + 1)...], as: UTF8.self)) } ?? 0
        let text = place(digits, wholeCount: point - unsigned.startIndex + shift)
        return isNegative ? [UInt8(ascii: "-")] + text : text
    }

    /// Puts the point after `wholeCount` digits, with zeros where there are none.
    private static func place(_ digits: [UInt8], wholeCount: Int) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        let whole = digits.prefix(max(wholeCount, 0))
        let padding = [UInt8](repeating: zero, count: max(wholeCount - digits.count, 0))
        var fraction = [UInt8](repeating: zero, count: max(-wholeCount, 0))
        fraction += digits.dropFirst(max(wholeCount, 0))
        while fraction.last == zero { fraction.removeLast() }
        var text = whole.isEmpty ? [zero] : Array(whole) + padding
        // Without a point, a great number would be an integer beyond 64 bits to most readers, ours included.
        text += [UInt8(ascii: ".")] + (fraction.isEmpty ? [zero] : fraction)
        return text
    }
}
