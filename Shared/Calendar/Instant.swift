/// Bounds of the time this module knows: the years 1…9999 in UTC.
enum Instant {
    static let secondMin: Int64 = -62_135_596_800
    static let secondMax: Int64 = 253_402_300_799

    /// Before everything that is ever asked for, and far enough from `Int64.min` to add an offset.
    static let beginning = secondMin * 2

    static func clamp(ms: Int64) -> Int64 {
        max(secondMin * 1000, min(ms, secondMax * 1000 + 999))
    }
}

extension Int64 {
    /// Rounds down, as days and hours before 1970 need it; plain division rounds towards zero.
    @inline(__always)
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
