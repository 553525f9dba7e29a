import Synchronization

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let bits = Atomic<UInt64>(0)

    public init() {}

    public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    public func set(_ value: Int) { set(Double(value)) }

    public func add(_ amount: Double) { bits.add(double: amount) }

    public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    static func expose(_ gauge: Gauge, _ series: SeriesName, _ text: inout Exposition) {
        text.line(series.name, series.labels, numberText(gauge.value))
    }
}

extension Atomic<UInt64> {
    /// Adds to the `Double` whose bits these are.
    func add(double amount: Double) {
        var seen = load(ordering: .relaxed)
        while true {
            let wanted = (Double(bitPattern: seen) + amount).bitPattern
            let (done, now) = weakCompareExchange(expected: seen, desired: wanted, ordering: .relaxed)
            if done { return }
            seen = now
        }
    }
}
