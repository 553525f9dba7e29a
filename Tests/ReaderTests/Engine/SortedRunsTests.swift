import ServiceKit
import Testing

@testable import ReaderCore

@Suite struct SortedRunsTests {
    @Test(arguments: Array(UInt64(1)...40))
    func everyRankIsThatOfOneSortedColumn(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        // Some worlds have more values than are gathered at once, and some hardly any distinct ones.
        let most = [40, 3_000].randomElement(using: &random) ?? 40
        let highest = [Int32(3), 100_000, .max].randomElement(using: &random) ?? 3
        var runs = SortedRuns()
        var all: [Int32] = []
        for _ in 0..<Int.random(in: 1...9, using: &random) {
            var column: [Int32] = []
            var ranges: [Range<Int>] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let values = (0..<Int.random(in: 0...most, using: &random)).map { _ in
                    Int32.random(in: 0...highest, using: &random)
                }
                ranges.append(column.count..<(column.count + values.count))
                column += values.sorted()
                all += values
            }
            var part = SortedRuns()
            part.add(column, ranges)
            runs.add(part)
        }
        all.sort()
        #expect(runs.count == all.count)
        let ranks = all.count <= 200 ? Array(all.indices) : (0..<40).map { $0 * (all.count - 1) / 39 }
        for rank in ranks { #expect(runs.value(atRank: rank) == all[rank], "rank \(rank) of \(all.count)") }
        #expect(runs.value(atRank: all.count) == nil)
        #expect(runs.value(atRank: -1) == nil)
        guard !all.isEmpty else { return }
        let middle = (Int64(all[(all.count - 1) / 2]), Int64(all[all.count / 2]))
        #expect(runs.median == (middle.0 + middle.1 + (middle.0 == middle.1 ? 0 : 1)) / 2)
    }

    @Test func nothingHasNoMedian() {
        var runs = SortedRuns()
        runs.add([1, 2], [1..<1])
        #expect(runs.median == nil)
    }

    @Test func halvesAreRoundedUp() {
        var runs = SortedRuns()
        runs.add([1, 3, 2], [0..<2, 2..<3])
        #expect(runs.median == 2)
        runs.add([10], [0..<1])
        #expect(runs.median == 3)
    }

    @Test func largestDurationsDoNotOverflow() {
        var runs = SortedRuns()
        runs.add([.max, .max], [0..<2])
        #expect(runs.median == Int64(Int32.max))
    }
}

@Suite struct RadixSortTests {
    @Test(arguments: Array(UInt64(1)...30))
    func sortsAsComparingDoes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let highest = [Int32(1), 255, 256, 70_000, 86_400_000, .max].randomElement(using: &random) ?? 1
        var values = (0..<Int.random(in: 0...400, using: &random)).map { _ in
            Int32.random(in: 0...highest, using: &random)
        }
        let start = Int.random(in: 0...values.count, using: &random)
        let end = Int.random(in: start...values.count, using: &random)
        let expected = Array(values[..<start]) + values[start..<end].sorted() + values[end...]
        var scratch: [Int32] = []
        RadixSort.sort(&values, start..<end, &scratch)
        #expect(values == expected)
    }
}
