/// Finds values by rank in many sorted runs without merging them.
struct SortedRuns {
    /// A sorted column's runs: ranges of its values, each ascending.
    fileprivate struct Column {
        var values: [Int32]
        var runs: [Range<Int>]
    }

    /// With so few values left to choose from, they are sorted.
    private static let gatherMax = 4_096

    private var columns: [Column] = []
    private(set) var count = 0

    /// Adds ranges of one column, each ascending.
    mutating func add(_ column: [Int32], _ ranges: [Range<Int>]) {
        let runs = ranges.filter { !$0.isEmpty }
        guard !runs.isEmpty else { return }
        columns.append(Column(values: column, runs: runs))
        count += runs.reduce(0) { $0 + $1.count }
    }

    mutating func add(_ other: SortedRuns) {
        columns += other.columns
        count += other.count
    }

    /// The value at a rank from 0, as if all runs were one sorted column.
    ///
    /// Halves the range of values; each run is narrowed to what lies in it, so that later rounds have little left to look at.
    func value(atRank rank: Int) -> Int32? {
        guard rank >= 0, rank < count else { return nil }
        var left = columns
        var remaining = count
        // How many values of those that are left the one looked for comes after.
        var rank = rank
        var (low, high) = (Int64(Int32.max), Int64(Int32.min))
        for column in columns {
            for run in column.runs {
                low = min(low, Int64(column.values[run.lowerBound]))
                high = max(high, Int64(column.values[run.upperBound - 1]))
            }
        }
        while remaining > Self.gatherMax, low < high {
            let middle = low + (high - low) / 2
            let cuts = left.map { $0.cuts(after: Int32(middle)) }
            let upTo = zip(left, cuts).reduce(0) { $0 + $1.0.countUpTo($1.1) }
            let isBelow = upTo > rank
            for index in left.indices { left[index].narrow(to: cuts[index], isBelow: isBelow) }
            if isBelow {
                high = middle
                remaining = upTo
            } else {
                low = middle + 1
                rank -= upTo
                remaining -= upTo
            }
        }
        if low >= high { return Int32(low) }
        return left.flatMap { column in column.runs.flatMap { column.values[$0] } }.sorted()[rank]
    }

    /// The middle value, or the mean of the two middle ones with halves rounded up.
    var median: Int64? {
        guard count > 0, let upper = value(atRank: count / 2) else { return nil }
        if count % 2 == 1 { return Int64(upper) }
        guard let lower = value(atRank: count / 2 - 1) else { return nil }
        return (Int64(lower) + Int64(upper) + 1) / 2
    }
}

extension SortedRuns.Column {
    /// For each run the index after its last value that is at most `value`.
    fileprivate func cuts(after value: Int32) -> [Int] {
        values.withUnsafeBufferPointer { values in
            runs.map { run in
                var (low, high) = (run.lowerBound, run.upperBound)
                while low < high {
                    let middle = (low + high) >> 1
                    if values[middle] <= value { low = middle + 1 } else { high = middle }
                }
                return low
            }
        }
    }

    fileprivate func countUpTo(_ cuts: [Int]) -> Int {
        zip(runs, cuts).reduce(0) { $0 + $1.1 - $1.0.lowerBound }
    }

    /// Keeps of each run what lies before or after its cut.
    fileprivate mutating func narrow(to cuts: [Int], isBelow: Bool) {
        for index in runs.indices {
            runs[index] =
                isBelow
                ? runs[index].lowerBound..<cuts[index] : cuts[index]..<runs[index].upperBound
        }
    }
}
