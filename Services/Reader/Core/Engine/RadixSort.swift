/// Sorts numbers that are not negative, byte by byte from the least significant: several times faster than by comparison.
enum RadixSort {
    /// Below this many, comparing is faster.
    private static let countMin = 64

    /// Sorts the values of a range.
    ///
    /// - Parameter scratch: room that is kept between calls.
    static func sort(_ values: inout [Int32], _ range: Range<Int>, _ scratch: inout [Int32]) {
        let count = range.count
        guard count >= countMin else {
            values.withUnsafeMutableBufferPointer { values in
                var part = UnsafeMutableBufferPointer(rebasing: values[range])
                part.sort()
            }
            return
        }
        if scratch.count < count { scratch = [Int32](repeating: 0, count: 2 * count) }
        values.withUnsafeMutableBufferPointer { values in
            scratch.withUnsafeMutableBufferPointer { scratch in
                sort(
                    UnsafeMutableBufferPointer(rebasing: values[range]),
                    UnsafeMutableBufferPointer(rebasing: scratch[..<count])
                )
            }
        }
    }

    private static func sort(
        _ values: UnsafeMutableBufferPointer<Int32>,
        _ scratch: UnsafeMutableBufferPointer<Int32>
    ) {
        var all: UInt32 = 0
        for value in values { all |= UInt32(bitPattern: value) }
        var (from, to) = (values, scratch)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
            var shift: UInt32 = 0
            while shift < 32, all >> shift > 0 {
                pass(from, to, shift, next)
                swap(&from, &to)
                shift += 8
            }
        }
        if from.baseAddress != values.baseAddress { _ = values.update(from: from) }
    }

    /// - Parameter next: room for one number each of the 256 values of a byte.
    private static func pass(
        _ from: UnsafeMutableBufferPointer<Int32>,
        _ to: UnsafeMutableBufferPointer<Int32>,
        _ shift: UInt32,
        _ next: UnsafeMutableBufferPointer<Int>
    ) {
        next.initialize(repeating: 0)
        for value in from { next[Int(UInt32(bitPattern: value) >> shift & 0xFF)] += 1 }
        var sum = 0
        for byte in 0..<256 {
            let count = next[byte]
            next[byte] = sum
            sum += count
        }
        for value in from {
            let byte = Int(UInt32(bitPattern: value) >> shift & 0xFF)
            to[next[byte]] = value
            next[byte] += 1
        }
    }
}
