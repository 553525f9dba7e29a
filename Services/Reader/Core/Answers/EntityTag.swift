import Crypto

/// A weak entity tag: two answers of one tag say the same, though not byte by byte.
public struct EntityTag: Equatable, Sendable {
    /// Without `W/` and quotes.
    private let opaque: String

    /// The tag of whatever these bytes name.
    public init(of bytes: [UInt8]) {
        opaque = Base64.url.encode(Array(SHA256.hash(bytes).prefix(16)))
    }

    /// As in the header `ETag`.
    public var text: String { "W/\"\(opaque)\"" }

    /// Whether an `If-None-Match` names this tag, strong or weak, or is `*`.
    ///
    /// - Parameter values: every header line of that name.
    public func isNamed(in values: [String]) -> Bool {
        values.contains { value in
            var rest = Substring(value)
            while let first = rest.first {
                switch first {
                case " ", "\t", ",":
                    rest.removeFirst()
                case "*":
                    return true
                default:
                    if rest.hasPrefix("W/") { rest.removeFirst(2) }
                    // What is no tag ends the list: nothing behind it can be told apart.
                    guard rest.popFirst() == "\"", let end = rest.firstIndex(of: "\"") else { return false }
                    if rest[..<end] == opaque { return true }
                    rest = rest[rest.index(after: end)...]
                }
            }
            return false
        }
    }
}
