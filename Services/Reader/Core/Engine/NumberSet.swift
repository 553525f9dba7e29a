/// A set of dense numbers, one bit each.
///
/// The number 0 stands for nobody: it may be inserted, and is never counted.
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

    /// Adds a run of a column; numbers beyond the limit were never promised and are skipped.
    mutating func insert(_ column: [Int32], _ range: Range<Int>) {
        words.withUnsafeMutableBufferPointer { words in
            column.withUnsafeBufferPointer { column in
                let limit = UInt32(truncatingIfNeeded: words.count << 6)
                for index in range {
                    let number = UInt32(bitPattern: column[index])
                    guard number < limit else { continue }
                    words[Int(number >> 6)] |= 1 << UInt64(number & 63)
                }
            }
        }
    }

    func contains(_ number: Int) -> Bool {
        words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }

    mutating func formUnion(_ other: NumberSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    mutating func removeAll() {
        words.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    var count: Int {
        guard let first = words.first else { return 0 }
        let all = words.withUnsafeBufferPointer { words in
            var count = 0
            for word in words { count += word.nonzeroBitCount }
            return count
        }
        return all - Int(first & 1)
    }

    /// Everybody in it, in ascending order.
    func forEach(_ body: (Int) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = index == 0 ? word & ~1 : word
            while rest != 0 {
                body(index << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
