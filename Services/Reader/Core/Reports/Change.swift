/// A change in percent.
enum Change {
    /// Rounded to two decimals; nil when the base is zero or either side has no value.
    static func percent(from base: Int64?, to current: Int64?) -> Double? {
        guard let base, let current, base != 0 else { return nil }
        let exact = (Double(current) - Double(base)) / Double(base) * 100
        return (exact * 100).rounded(.toNearestOrAwayFromZero) / 100
    }
}
