import Synchronization

/// Counts observations in buckets fixed at registration.
///
/// `@unchecked Sendable`: `cells` is set once and points at atomics, which any thread may change; it is
/// freed in `deinit`, when no reference, and so no caller, is left.
public final class Histogram: @unchecked Sendable {
    /// The upper bounds, ascending, without the infinity that closes them.
    public let bounds: [Double]
    /// One per bound and one beyond them all; each counts its own bucket only.
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    private let sumBits = Atomic<UInt64>(0)

    public init(bounds: [Double]) {
        precondition(!bounds.isEmpty && bounds.allSatisfy(\.isFinite), "a histogram needs finite bounds")
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds must ascend")
        self.bounds = bounds
        cells = .allocate(capacity: bounds.count + 1)
        for index in 0...bounds.count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: bounds.count + 1)
        cells.deallocate()
    }

    /// Counts `value` in the first bucket whose bound is not below it.
    ///
    /// NaN is left out: it would make the sum useless for as long as the process lives.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        cells[index].wrappingAdd(1, ordering: .relaxed)
        sumBits.add(double: value)
    }

    public var sum: Double { Double(bitPattern: sumBits.load(ordering: .relaxed)) }

    /// How many observations were at most each bound, and last how many there were.
    public var cumulative: [UInt64] {
        var total: UInt64 = 0
        return (0...bounds.count).map { index in
            total += cells[index].load(ordering: .relaxed)
            return total
        }
    }

    static func expose(_ histogram: Histogram, _ series: SeriesName, _ text: inout Exposition) {
        // Read once: the count below must equal the last bucket, whatever is observed meanwhile.
        let counts = histogram.cumulative
        let bounds = histogram.bounds.map(numberText) + ["+Inf"]
        for (bound, count) in zip(bounds, counts) {
            text.line(series.name + "_bucket", series.labels + [("le", bound)], "\(count)")
        }
        text.line(series.name + "_sum", series.labels, numberText(histogram.sum))
        text.line(series.name + "_count", series.labels, "\(counts[counts.count - 1])")
    }
}

extension Histogram {
    /// Seconds from half a millisecond to ten, for requests and queries.
    public static let secondsBounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Powers of four from 1 to about a million, for sizes and counts.
    public static let sizeBounds: [Double] = [
        1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576,
    ]
}
