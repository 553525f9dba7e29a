/// Counts distinct subjects of one value after another.
///
/// Clearing a set of everybody for each of thousands of rare values would cost more than counting them, so a few subjects are sorted
/// instead.
struct DistinctCounter {
    private var set: NumberSet
    private var isInSet = false
    private var few: [Int32] = []
    private var scratch: [Int32] = []
    private let fewMax: Int

    init(limit: Int) {
        set = NumberSet(limit: limit)
        fewMax = limit / 256
    }

    mutating func add(_ subjects: [Int32], _ range: Range<Int>) {
        if !isInSet, few.count + range.count <= fewMax {
            few.append(contentsOf: subjects[range])
            return
        }
        if !isInSet {
            isInSet = true
            set.removeAll()
            set.insert(few, few.indices)
            few.removeAll(keepingCapacity: true)
        }
        set.insert(subjects, range)
    }

    /// How many were added since the last call; nobody, the number 0, is not counted.
    mutating func takeCount() -> Int {
        if isInSet {
            isInSet = false
            return set.count
        }
        RadixSort.sort(&few, few.indices, &scratch)
        var (count, last) = (0, Int32(0))
        for subject in few where subject != last {
            count += 1
            last = subject
        }
        few.removeAll(keepingCapacity: true)
        return count
    }
}
