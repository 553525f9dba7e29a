import Synchronization

/// A number that only grows.
///
/// Adding is one relaxed atomic instruction: no lock, and nothing is ordered by it.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    public init() {}

    public func increment() { count.wrappingAdd(1, ordering: .relaxed) }

    /// Adds `amount`; a negative amount is a mistake of the caller and is ignored in release builds.
    public func add(_ amount: Int) {
        assert(amount >= 0, "a counter only grows")
        guard amount > 0 else { return }
        count.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    public var value: UInt64 { count.load(ordering: .relaxed) }

    static func expose(_ counter: Counter, _ series: SeriesName, _ text: inout Exposition) {
        text.line(series.name, series.labels, "\(counter.value)")
    }
}
