import Gzip
public import HTTP

/// How a body travels.
public enum ContentCoding: Sendable {
    case identity, gzip

    /// Shorter bodies fit into one packet either way.
    static let bytesMin = 1024
    /// More is not packed in one call; no report comes near.
    static let bytesMax = 1 << 30
    /// Fast: reports are repetitive, so that higher levels gain little.
    private static let level = 4

    /// What the client would rather have.
    public init(_ headers: HTTPHeaders) {
        let accept = QualityList(headers.values("Accept-Encoding"))
        let gzip = accept.weight(of: "gzip", "x-gzip", "*") ?? 0
        // Not mentioned, it is always fine, but what is mentioned is meant to be better.
        let identity = accept.weight(of: "identity") ?? 0
        self = gzip > 0 && gzip >= identity ? .gzip : .identity
    }

    /// The body to send, and whether it is packed.
    func encode(_ body: [UInt8]) -> (body: [UInt8], isPacked: Bool) {
        guard self == .gzip, (Self.bytesMin...Self.bytesMax).contains(body.count) else {
            return (body, false)
        }
        let packed = Gzip.deflate(body, level: Self.level)
        return packed.count < body.count ? (packed, true) : (body, false)
    }
}
