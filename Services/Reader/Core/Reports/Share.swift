/// A part of a whole.
enum Share {
    /// From 0 to 1 with four decimals, halves rounded up; nil of nothing.
    static func of(_ part: Int, in whole: Int) -> Double? {
        guard whole > 0 else { return nil }
        return Double((part * 20_000 + whole) / (2 * whole)) / 10_000
    }

    /// The same, nil also where either is not known.
    static func of(_ part: Int?, in whole: Int?) -> Double? {
        guard let part, let whole else { return nil }
        return of(part, in: whole)
    }
}
