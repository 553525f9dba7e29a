/// Finds values by rank in many sorted runs without merging them.
struct SortedRuns {
    private var columns: [SortedColumn] = []
    private(set) var count = 0

    /// Adds ranges of one column, each ascending.
    mutating func add(_ column: [Int32], _ ranges: [Range<Int>]) {
        let runs = ranges.filter { !$0.isEmpty }
        guard !runs.isEmpty else { return }
        columns.append(SortedColumn(values: column, runs: runs))
        count += runs.reduce(0) { $0 + $1.count }
    }

    mutating func add(_ other: SortedRuns) {
        columns += other.columns
        count += other.count
    }

    /// The value at a rank from 0, as if all runs were one sorted column.
    func value(atRank rank: Int) -> Int32? { pair(atRank: rank)?.value }

    /// The middle value, or the mean of the two middle ones with halves rounded up.
    var median: Int64? {
        guard let (lower, next) = pair(atRank: (count - 1) / 2) else { return nil }
        guard count % 2 == 0, let upper = next ?? value(atRank: count / 2) else { return Int64(lower) }
        return (Int64(lower) + Int64(upper) + 1) / 2
    }

    /// The value at a rank, and the one after it when it came to light as well.
    private func pair(atRank rank: Int) -> (value: Int32, next: Int32?)? {
        guard rank >= 0, rank < count else { return nil }
        var search = RankSearch(columns, count: count, rank: rank)
        return search.run()
    }
}

/// Looks for the value of a rank.
///
/// It cuts all runs at one value after another and keeps the side that has it, so that less and less is left to look at. The first cuts are
/// guessed from a sample, the others halve what is possible.
private struct RankSearch {
    /// With so few values left to choose from, they are sorted.
    private static let gatherMax = 4_096
    private static let samples = 16_384
    /// How far beside its place in the sample the value may well be.
    private static let sampleMargin = 200

    private var columns: [SortedColumn]
    private var remaining: Int
    /// How many of the values that are left come before the one looked for.
    private var rank: Int

    init(_ columns: [SortedColumn], count: Int, rank: Int) {
        self.columns = columns
        remaining = count
        self.rank = rank
    }

    mutating func run() -> (value: Int32, next: Int32?) {
        var low = Int64(columns.map(\.least).min() ?? 0)
        var high = Int64(columns.map(\.greatest).max() ?? 0)
        var guesses = remaining > 4 * Self.samples ? guesses() : []
        while remaining > Self.gatherMax, low < high {
            let middle = guesses.popLast().map(Int64.init) ?? low + (high - low) / 2
            guard low <= middle, middle < high else { continue }
            if cut(after: Int32(middle)) { high = middle } else { low = middle + 1 }
        }
        if low >= high { return (Int32(low), rank + 1 < remaining ? Int32(low) : nil) }
        let left = columns.flatMap { column in column.runs.flatMap { column.values[$0] } }.sorted()
        return (left[rank], rank + 1 < left.count ? left[rank + 1] : nil)
    }

    /// Keeps what is at most `value` if the value looked for is there, and what is greater otherwise.
    private mutating func cut(after value: Int32) -> Bool {
        var upTo = 0
        for index in columns.indices { upTo += columns[index].cut(after: value) }
        let isBelow = upTo > rank
        for index in columns.indices { columns[index].keep(isBelow: isBelow) }
        if !isBelow { rank -= upTo }
        remaining = isBelow ? upTo : remaining - upTo
        return isBelow
    }

    /// Values on both sides of the one looked for, most likely.
    private func guesses() -> [Int32] {
        let step = remaining / Self.samples
        var sample: [Int32] = []
        var next = step / 2
        for column in columns { column.sample(every: step, next: &next, into: &sample) }
        var scratch: [Int32] = []
        RadixSort.sort(&sample, sample.indices, &scratch)
        guard let greatest = sample.indices.last else { return [] }
        let place = rank / step
        return [
            sample[min(greatest, max(0, place - Self.sampleMargin))],
            sample[min(greatest, place + Self.sampleMargin)],
        ]
    }
}

/// A column and ranges of it that are each ascending.
private struct SortedColumn {
    let values: [Int32]
    private(set) var runs: [Range<Int>]
    private var cuts: [Int] = []

    init(values: [Int32], runs: [Range<Int>]) {
        self.values = values
        self.runs = runs
    }

    var least: Int32 { runs.map { values[$0.lowerBound] }.min() ?? 0 }
    var greatest: Int32 { runs.map { values[$0.upperBound - 1] }.max() ?? 0 }

    /// Finds in each run the end of what is at most `value`, and returns how many values that is.
    mutating func cut(after value: Int32) -> Int {
        if cuts.count < runs.count { cuts = [Int](repeating: 0, count: runs.count) }
        var count = 0
        values.withUnsafeBufferPointer { values in
            for index in runs.indices {
                var (low, high) = (runs[index].lowerBound, runs[index].upperBound)
                while low < high {
                    let middle = (low + high) >> 1
                    if values[middle] <= value { low = middle + 1 } else { high = middle }
                }
                cuts[index] = low
                count += low - runs[index].lowerBound
            }
        }
        return count
    }

    /// Keeps one side of the last cut; runs of which nothing is left are forgotten.
    mutating func keep(isBelow: Bool) {
        var kept = 0
        for index in runs.indices {
            let run = runs[index]
            let part = isBelow ? run.lowerBound..<cuts[index] : cuts[index]..<run.upperBound
            guard !part.isEmpty else { continue }
            runs[kept] = part
            kept += 1
        }
        runs.removeLast(runs.count - kept)
    }

    /// - Parameter next: how many values to pass over first; carried from column to column.
    func sample(every step: Int, next: inout Int, into sample: inout [Int32]) {
        for run in runs {
            while next < run.count {
                sample.append(values[run.lowerBound + next])
                next += step
            }
            next -= run.count
        }
    }
}
