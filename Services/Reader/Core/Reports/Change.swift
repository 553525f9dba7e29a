/// A change in percent.
enum Change {
    /// Rounded to two decimals, halves away from zero; nil when the base is zero or either side has no value.
    ///
    /// In whole numbers: from 160 to 183 are 14.375 %, of which floating point makes 14.37.
    static func percent(from base: Int64?, to current: Int64?) -> Double? {
        guard let base, let current, base != 0 else { return nil }
        let change = Int128(current) - Int128(base)
        let divisor = base.magnitude
        let hundredths = (change.magnitude * 20_000 + UInt128(divisor)) / (2 * UInt128(divisor))
        let percent = Double(hundredths) / 100
        return (change < 0) == (base < 0) ? percent : -percent
    }
}
