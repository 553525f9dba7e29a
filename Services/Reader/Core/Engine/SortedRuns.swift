/// Finds values by rank in many sorted runs without merging them.
struct SortedRuns {
    /// A run: a range of a sorted column.
    private struct Run {
        var days: Int
        var range: Range<Int>
    }

    private var columns: [[Int32]] = []
    private var runs: [Run] = []
    private(set) var count = 0

    /// Adds ranges of one column, each ascending.
    mutating func add(_ column: [Int32], _ ranges: [Range<Int>]) {
        columns.append(column)
        for range in ranges where !range.isEmpty {
            runs.append(Run(days: columns.count - 1, range: range))
            count += range.count
        }
    }

    mutating func add(_ other: SortedRuns) {
        let base = columns.count
        columns += other.columns
        runs += other.runs.map { Run(days: $0.days + base, range: $0.range) }
        count += other.count
    }

    /// The value at a rank from 0, as if all runs were one sorted column.
    ///
    /// Halves the values, not the ranks: at most 32 rounds, each a look into every run.
    func value(atRank rank: Int) -> Int32? {
        guard rank >= 0, rank < count else { return nil }
        var (low, high) = (Int32.max, Int32.min)
        for run in runs {
            low = min(low, columns[run.days][run.range.lowerBound])
            high = max(high, columns[run.days][run.range.upperBound - 1])
        }
        var lowest = Int64(low)
        var highest = Int64(high)
        while lowest < highest {
            let middle = lowest + (highest - lowest) / 2
            if countUpTo(Int32(middle)) > rank { highest = middle } else { lowest = middle + 1 }
        }
        return Int32(lowest)
    }

    /// How many values are at most `value`.
    private func countUpTo(_ value: Int32) -> Int {
        var count = 0
        for run in runs {
            columns[run.days].withUnsafeBufferPointer { column in
                var low = run.range.lowerBound
                var high = run.range.upperBound
                while low < high {
                    let middle = (low + high) >> 1
                    if column[middle] <= value { low = middle + 1 } else { high = middle }
                }
                count += low - run.range.lowerBound
            }
        }
        return count
    }

    /// The middle value, or the mean of the two middle ones with halves rounded up.
    var median: Int64? {
        guard count > 0, let upper = value(atRank: count / 2) else { return nil }
        if count % 2 == 1 { return Int64(upper) }
        guard let lower = value(atRank: count / 2 - 1) else { return nil }
        return (Int64(lower) + Int64(upper) + 1) / 2
    }
}
