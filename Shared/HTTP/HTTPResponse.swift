/// What is sent back.
///
/// The server adds `Date`, `Content-Length` and `Connection` itself and drops those of the handler, as well
/// as any header whose value is empty or would break out of its line. It omits the body for HEAD, 204 and
/// 304. A status outside 200…999 is sent as 500.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// Closes the connection after this answer.
    public var closesConnection = false

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
