/// One series of a callback family.
public struct MetricSample: Sendable {
    /// In the order of the family's labels.
    public let values: [String]
    public let value: Double

    public init(_ values: [String], _ value: Double) {
        self.values = values
        self.value = value
    }
}

/// Numbers that are kept elsewhere and read when somebody asks.
///
/// The closure runs on the thread that answers `/metrics`; it must not block. A second registration of the
/// same name takes the place of the first, so a producer that was rebuilt registers itself again.
extension MetricRegistry {
    public func gauge(_ name: String, help: String, read: @escaping @Sendable () -> Double) {
        registerCallback(name, help: help, kind: "gauge") { name, text in
            text.line(name, [], numberText(read()))
        }
    }

    /// A counter that somebody else counts; `read` must never answer less than before.
    public func counter(_ name: String, help: String, read: @escaping @Sendable () -> Double) {
        precondition(name.hasSuffix("_total"), "a counter's name ends in _total, not \(name)")
        registerCallback(name, help: help, kind: "counter") { name, text in
            text.line(name, [], numberText(read()))
        }
    }

    /// A family of gauges, such as the lag of each partition held; samples beyond `seriesMax` are left out.
    public func gaugeFamily(
        _ name: String,
        help: String,
        labels: [String],
        seriesMax: Int = 200,
        read: @escaping @Sendable () -> [MetricSample]
    ) {
        precondition(labels.allSatisfy(isLabelName), "not a label name: \(labels)")
        registerCallback(name, help: help, kind: "gauge") { name, text in
            // The same series twice would make Prometheus refuse the whole page.
            let unique = Dictionary(read().map { ($0.values, $0.value) }) { _, last in last }
            let sorted = unique.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (values, value) in sorted.prefix(seriesMax) where values.count == labels.count {
                text.line(name, zip(labels, values).map { (name: $0, value: $1) }, numberText(value))
            }
        }
    }
}
