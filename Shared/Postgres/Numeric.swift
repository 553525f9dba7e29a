/// A `numeric` in its binary form: digits of base 10,000, the first worth 10,000 to the power of `weight`.
struct Numeric {
    private enum Sign: Equatable { case plus, minus, notANumber, infinity, minusInfinity }

    private let sign: Sign
    private let weight: Int
    private let decimals: Int
    private let digits: [UInt16]

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        func field(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        }
        let count = Int(field(0))
        guard bytes.count == 8 + count * 2 else { return nil }
        switch field(2) {
        case 0x0000: sign = .plus
        case 0x4000: sign = .minus
        case 0xC000: sign = .notANumber
        case 0xD000: sign = .infinity
        case 0xF000: sign = .minusInfinity
        default: return nil
        }
        weight = Int(Int16(bitPattern: field(1)))
        decimals = Int(field(3))
        digits = (0..<count).map { field(4 + $0) }
    }

    /// The number when it is whole and fits.
    var int64: Int64? {
        guard sign == .plus || sign == .minus else { return nil }
        let wholeDigits = max(0, weight + 1)
        guard digits.dropFirst(wholeDigits).allSatisfy({ $0 == 0 }) else { return nil }
        guard weight < 5 else { return nil }
        // Added up below zero, because the smallest number has no positive twin.
        var value: Int64 = 0
        for position in 0..<wholeDigits {
            let (scaled, tooLarge) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, overflow) = scaled.subtractingReportingOverflow(Int64(digit(position)))
            guard !tooLarge, !overflow else { return nil }
            value = sum
        }
        guard sign == .plus else { return value }
        return value == .min ? nil : -value
    }

    /// As Postgres writes it.
    var text: String {
        switch sign {
        case .notANumber: return "NaN"
        case .infinity: return "Infinity"
        case .minusInfinity: return "-Infinity"
        case .plus, .minus: break
        }
        var text = ""
        for position in 0..<max(0, weight + 1) {
            text += position == 0 ? String(digit(position)) : padded(position)
        }
        if text.isEmpty { text = "0" }
        if decimals > 0 {
            let groups = (decimals + 3) / 4
            let fraction = (0..<groups).map { padded(weight + 1 + $0) }.joined()
            text += "." + fraction.prefix(decimals)
        }
        return sign == .minus ? "-" + text : text
    }

    private func digit(_ position: Int) -> UInt16 {
        digits.indices.contains(position) ? digits[position] : 0
    }

    private func padded(_ position: Int) -> String {
        let text = String(digit(position))
        return String(repeating: "0", count: 4 - text.count) + text
    }
}
