/// Everything of a request but its body.
public struct HTTPRequestHead: Sendable {
    public var method: String
    /// As it came, still percent-encoded and without the query; see `HTTPPath`.
    public var path: String
    /// As it came, without its question mark; see `HTTPQuery`.
    public var query: String?
    public var headers: HTTPHeaders
    public var peer: HTTPPeer
    /// Nil without a body and for a chunked one.
    public var contentLength: Int?

    public init(
        method: String,
        path: String,
        query: String? = nil,
        headers: HTTPHeaders = HTTPHeaders([]),
        peer: HTTPPeer = HTTPPeer(high: 0, low: 0, port: 0),
        contentLength: Int? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.peer = peer
        self.contentLength = contentLength
    }

    /// Nil only in the head of a `methodUnknown` refusal.
    public var knownMethod: HTTPMethod? { HTTPMethod(rawValue: method) }
}

/// A whole request.
public struct HTTPRequest: Sendable {
    public let head: HTTPRequestHead
    public let body: [UInt8]

    public init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    public var method: String { head.method }
    public var path: String { head.path }
    public var query: String? { head.query }
    public var headers: HTTPHeaders { head.headers }
    public var peer: HTTPPeer { head.peer }
}
