/// A set of dense numbers, one bit each.
struct NumberSet: Sendable {
    private var words: [UInt64]

    /// - Parameter limit: one more than the greatest number that will be added.
    init(limit: Int) {
        words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    }

    @inline(__always)
    mutating func insert(_ number: Int) {
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    func forEach(_ body: (Int) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(index << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
