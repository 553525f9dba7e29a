/// A series as it is written: the metric's name and the labels with their values.
struct SeriesName {
    let name: String
    let labels: [(name: String, value: String)]
}

/// Builds Prometheus' text format 0.0.4.
struct Exposition {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var bytes: [UInt8] = []

    mutating func header(_ name: String, help: String, kind: String) {
        raw("# HELP \(name) ")
        escaped(help, quote: false)
        raw("\n# TYPE \(name) \(kind)\n")
    }

    mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
        raw(name)
        for (index, label) in labels.enumerated() {
            raw(index == 0 ? "{" : ",")
            raw(label.name)
            raw("=\"")
            escaped(label.value, quote: true)
            raw("\"")
        }
        raw(labels.isEmpty ? " " : "} ")
        raw(value)
        raw("\n")
    }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func escaped(_ text: String, quote: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): raw("\\\\")
            case UInt8(ascii: "\n"): raw("\\n")
            case UInt8(ascii: "\"") where quote: raw("\\\"")
            default: bytes.append(byte)
            }
        }
    }
}

/// A number as Prometheus reads it; whole ones without a fraction.
func numberText(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: value).map(String.init) ?? "\(value)"
}
