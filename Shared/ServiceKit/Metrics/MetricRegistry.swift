import Synchronization

/// All metrics of a process, written out as Prometheus reads them.
///
/// Registering the same metric twice answers the one that is there; registering a name as something else
/// stops the process at start, where a test or a first run sees it.
public final class MetricRegistry: Sendable {
    private struct Entry: Sendable {
        let help: String
        let kind: String
        /// The family, or nil when the numbers are read by a callback.
        let family: (any AnyObject & Sendable)?
        let expose: @Sendable (_ name: String, _ text: inout Exposition) -> Void
    }

    private let entries = Mutex<[String: Entry]>([:])

    public init() {}

    public func counter(_ name: String, help: String) -> Counter {
        counterFamily(name, help: help, labels: []).with()
    }

    public func gauge(_ name: String, help: String) -> Gauge {
        gaugeFamily(name, help: help, labels: []).with()
    }

    public func histogram(_ name: String, help: String, bounds: [Double]) -> Histogram {
        histogramFamily(name, help: help, bounds: bounds, labels: []).with()
    }

    public func counterFamily(
        _ name: String,
        help: String,
        labels: [MetricLabel],
        seriesMax: Int = 200
    ) -> MetricFamily<Counter> {
        precondition(name.hasSuffix("_total"), "a counter's name ends in _total, not \(name)")
        let family = MetricFamily(labels: labels, seriesMax: seriesMax) { Counter() }
        return register(name, help: help, kind: "counter", family, Counter.expose)
    }

    public func gaugeFamily(
        _ name: String,
        help: String,
        labels: [MetricLabel],
        seriesMax: Int = 200
    ) -> MetricFamily<Gauge> {
        let family = MetricFamily(labels: labels, seriesMax: seriesMax) { Gauge() }
        return register(name, help: help, kind: "gauge", family, Gauge.expose)
    }

    public func histogramFamily(
        _ name: String,
        help: String,
        bounds: [Double],
        labels: [MetricLabel],
        seriesMax: Int = 50
    ) -> MetricFamily<Histogram> {
        let family = MetricFamily(labels: labels, seriesMax: seriesMax) { Histogram(bounds: bounds) }
        return register(name, help: help, kind: "histogram", family, Histogram.expose)
    }

    /// One counter per case of an enum, found without a lock.
    public func counters<Key>(
        _ name: String,
        help: String,
        label: String,
        of type: Key.Type
    ) -> EnumFamily<Key, Counter> {
        EnumFamily(counterFamily(name, help: help, labels: [.closed(label, type)]))
    }

    /// One histogram per case of an enum, found without a lock.
    public func histograms<Key>(
        _ name: String,
        help: String,
        bounds: [Double],
        label: String,
        of type: Key.Type
    ) -> EnumFamily<Key, Histogram> {
        EnumFamily(histogramFamily(name, help: help, bounds: bounds, labels: [.closed(label, type)]))
    }

    /// Everything in a stable order: names sorted, then label values.
    public func exposition() -> [UInt8] {
        // Callbacks run outside the lock: one of them may register a metric.
        let sorted = entries.withLock { $0 }.sorted { $0.key < $1.key }
        var text = Exposition()
        for (name, entry) in sorted {
            text.header(name, help: entry.help, kind: entry.kind)
            entry.expose(name, &text)
        }
        return text.bytes
    }

    private func register<Metric>(
        _ name: String,
        help: String,
        kind: String,
        _ family: MetricFamily<Metric>,
        _ expose: @escaping @Sendable (Metric, SeriesName, inout Exposition) -> Void
    ) -> MetricFamily<Metric> {
        precondition(isMetricName(name), "not a metric name: \(name)")
        return entries.withLock { entries in
            if let found = entries[name] {
                guard let same = found.family as? MetricFamily<Metric>, same.labels == family.labels else {
                    preconditionFailure("\(name) is registered already, as something else")
                }
                return same
            }
            entries[name] = Entry(help: help, kind: kind, family: family) { name, text in
                for (labels, metric) in family.all {
                    expose(metric, SeriesName(name: name, labels: labels), &text)
                }
            }
            return family
        }
    }

    /// Registers numbers that are read when somebody asks; a second registration takes the first's place.
    func registerCallback(
        _ name: String,
        help: String,
        kind: String,
        _ expose: @escaping @Sendable (_ name: String, _ text: inout Exposition) -> Void
    ) {
        precondition(isMetricName(name), "not a metric name: \(name)")
        entries.withLock { entries in
            precondition(
                entries[name].map { $0.family == nil && $0.kind == kind } ?? true,
                "\(name) is registered already, as something else"
            )
            entries[name] = Entry(help: help, kind: kind, family: nil, expose: expose)
        }
    }
}
