import Synchronization

/// Metrics of one name that differ in their labels.
///
/// The number of series is bounded. What would be one too many is counted under `other`, so totals stay
/// right. Finding a series takes a lock and a hash: keep the metric where it is hot.
public final class MetricFamily<Metric: AnyObject & Sendable>: Sendable {
    public let labels: [MetricLabel]
    public let seriesMax: Int

    private let make: @Sendable () -> Metric
    private let series = Mutex<[[String]: Metric]>([:])

    /// Series of closed labels are made now, so that a graph shows zero instead of nothing.
    init(labels: [MetricLabel], seriesMax: Int, make: @escaping @Sendable () -> Metric) {
        precondition(labels.allSatisfy { isLabelName($0.name) }, "not a label name: \(labels)")
        precondition(Set(labels.map(\.name)).count == labels.count, "a label is named twice: \(labels)")
        self.labels = labels
        self.make = make
        let closed = Self.product(labels)
        self.seriesMax = max(seriesMax, closed.count)
        series.withLock { series in
            for values in closed { series[values] = make() }
        }
    }

    /// The metric for these values, in the order of the labels.
    public func with(_ values: String...) -> Metric { with(values: values) }

    public func with(values: [String]) -> Metric {
        precondition(values.count == labels.count, "labels are \(labels), values \(values)")
        return series.withLock { series in
            if let found = series[values] { return found }
            var allowed = zip(labels, values).map { label, value in
                label.values.map { $0.contains(value) ? value : otherLabelValue } ?? Self.cut(value)
            }
            if series[allowed] == nil, series.count >= seriesMax {
                allowed = zip(labels, allowed).map { $0.values == nil ? otherLabelValue : $1 }
            }
            if let found = series[allowed] { return found }
            let made = make()
            series[allowed] = made
            return made
        }
    }

    /// Every series there is, sorted by label values.
    var all: [(labels: [(name: String, value: String)], metric: Metric)] {
        let sorted = series.withLock { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return sorted.map { values, metric in
            (zip(labels, values).map { (name: $0.name, value: $1) }, metric)
        }
    }

    private static func cut(_ value: String) -> String {
        value.utf8.count <= 128 ? value : String(String.UnicodeScalarView(value.unicodeScalars.prefix(128)))
    }

    /// All combinations when every label is closed, otherwise none.
    private static func product(_ labels: [MetricLabel]) -> [[String]] {
        var rows: [[String]] = [[]]
        for label in labels {
            guard let values = label.values else { return [] }
            rows = rows.flatMap { row in values.map { row + [$0] } }
        }
        return rows
    }
}

/// Metrics told apart by one enum: found without a lock and without hashing the raw value.
public struct EnumFamily<Key, Metric>: Sendable
where Key: RawRepresentable<String> & CaseIterable & Sendable, Metric: AnyObject & Sendable {
    /// By the byte that tells the cases apart; an enum without payloads has no more than that one.
    @usableFromInline
    let metrics: [Metric?]
    @usableFromInline
    let family: MetricFamily<Metric>

    init(_ family: MetricFamily<Metric>) {
        self.family = family
        var metrics = [Metric?](repeating: nil, count: 256)
        for key in Key.allCases { metrics[Self.index(key)] = family.with(key.rawValue) }
        self.metrics = metrics
    }

    // Inlinable, because without being specialized it costs ten times as much.
    @inlinable
    public subscript(key: Key) -> Metric {
        // An enum may leave cases out of `allCases`; they are counted under `other`.
        metrics[Self.index(key)] ?? family.with(key.rawValue)
    }

    @inlinable
    static func index(_ key: Key) -> Int {
        precondition(MemoryLayout<Key>.size <= 1, "\(Key.self) is not an enum of at most 256 cases")
        // An enum of one case has no byte at all.
        return withUnsafeBytes(of: key) { Int($0.first ?? 0) }
    }
}
