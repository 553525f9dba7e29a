/// The decoded parameters of a query, in order, repeats included.
public struct HTTPQuery: Sendable {
    public let pairs: [(name: String, value: String)]

    /// Nil and an empty query have no parameters.
    ///
    /// A parameter without `=` has the empty value; `&&` adds none.
    public init(raw: String?) throws(HTTPDecodingError) {
        var pairs: [(name: String, value: String)] = []
        for pair in Array((raw ?? "").utf8).split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try PercentDecoding.decode(pair[..<equals], plusIsSpace: true)
            let value = try PercentDecoding.decode(pair[equals...].dropFirst(), plusIsSpace: true)
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    public subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    public func values(_ name: String) -> [String] {
        pairs.filter { $0.name == name }.map(\.value)
    }
}
