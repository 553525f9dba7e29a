/// A label of a family and, when they are known, all its values.
public struct MetricLabel: Sendable, Equatable {
    public let name: String
    /// The only values allowed, or nil when they are not known beforehand.
    public let values: [String]?

    /// A label whose values are listed: anything else is counted under `other`.
    public static func closed(_ name: String, _ values: [String]) -> MetricLabel {
        MetricLabel(name: name, values: values)
    }

    /// A label whose values are an enum's raw values.
    public static func closed<Value>(_ name: String, _ type: Value.Type) -> MetricLabel
    where Value: RawRepresentable<String> & CaseIterable {
        MetricLabel(name: name, values: type.allCases.map(\.rawValue))
    }

    /// A label whose values come at run time, bounded by the family's `seriesMax`.
    ///
    /// Never for what a client chose freely: a bound keeps memory safe, not the numbers useful.
    public static func open(_ name: String) -> MetricLabel {
        MetricLabel(name: name, values: nil)
    }
}

/// What is counted under instead of a value that is unknown, or one series too many.
let otherLabelValue = "other"

/// True for a name Prometheus takes; a colon is for recording rules and not for us.
func isMetricName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
        return false
    }
    return name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            return true
        default: return false
        }
    }
}

func isLabelName(_ name: String) -> Bool {
    isMetricName(name) && !name.hasPrefix("__") && name != "le"
}
