/// What a client says it would take, and how gladly (RFC 9110, section 12.4.2).
///
/// Items that make no sense are left out: such a header is a wish, and nobody is refused for it.
struct QualityList {
    /// In lower case, without parameters; weights in thousandths.
    private let items: [(name: String, weight: Int)]

    /// - Parameter values: every header line of that name.
    init(_ values: [String]) {
        items = values.flatMap { $0.split(separator: ",") }.compactMap { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first, !name.isEmpty else { return nil }
            guard let weight = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else {
                return (name, 1000)
            }
            return Self.thousandths(weight.dropFirst(2)).map { (name, $0) }
        }
    }

    var isEmpty: Bool { items.isEmpty }

    /// The weight of the first of these names that is mentioned, from the most telling on; nil when none is.
    func weight(of names: String...) -> Int? {
        for name in names {
            if let item = items.first(where: { $0.name == name }) { return item.weight }
        }
        return nil
    }

    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1", parts.count <= 2 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let digits = fraction + String(repeating: "0", count: 3 - fraction.utf8.count)
        let weight = (whole == "1" ? 1000 : 0) + (Int(digits) ?? 0)
        return weight <= 1000 ? weight : nil
    }
}
