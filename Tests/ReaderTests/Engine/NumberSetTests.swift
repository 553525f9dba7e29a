import ServiceKit
import Testing

@testable import ReaderCore

@Suite struct NumberSetTests {
    @Test(arguments: Array(UInt64(1)...20))
    func holdsWhatASetHolds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = Int.random(in: 1...400, using: &random)
        var (one, two) = (NumberSet(limit: limit), NumberSet(limit: limit))
        var expected: Set<Int> = []
        for _ in 0..<Int.random(in: 0...300, using: &random) {
            let number = Int.random(in: 0..<limit, using: &random)
            if Bool.random(using: &random) { one.insert(number) } else { two.insert(number) }
            if number > 0 { expected.insert(number) }
        }
        one.formUnion(two)
        var seen: [Int] = []
        one.forEach { seen.append($0) }
        #expect(seen == expected.sorted())
        #expect(one.count == expected.count)
        one.removeAll()
        #expect(one.count == 0)
    }

    @Test func nobodyIsNotCounted() {
        var set = NumberSet(limit: 10)
        set.insert([0, 3, 0, 3], 0..<4)
        #expect(set.count == 1)
    }

    @Test func numbersBeyondTheLimitAreSkipped() {
        var set = NumberSet(limit: 64)
        set.insert([63, 64, .max, -1], 0..<4)
        #expect(set.count == 1)
    }

    @Test func onlyTheRangeIsAdded() {
        var set = NumberSet(limit: 10)
        set.insert([1, 2, 3, 4], 1..<3)
        var seen: [Int] = []
        set.forEach { seen.append($0) }
        #expect(seen == [2, 3])
    }
}

@Suite struct DistinctCounterTests {
    /// Few and many by turns, since they are counted in different ways.
    @Test(arguments: Array(UInt64(1)...10))
    func countsWhatASetCounts(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = 20_000
        var counter = DistinctCounter(limit: limit)
        for _ in 0..<12 {
            var expected: Set<Int32> = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let size = [3, 40, 2_000].randomElement(using: &random) ?? 3
                let subjects = (0..<size).map { _ in Int32.random(in: 0..<Int32(limit), using: &random) }
                let range = Int.random(in: 0..<size, using: &random)..<size
                counter.add(subjects, range)
                expected.formUnion(subjects[range])
            }
            expected.remove(0)
            #expect(counter.takeCount() == expected.count)
        }
    }
}
