/// A service behind an `HTTPServer`.
public protocol HTTPHandler: Sendable {
    /// Judges a request before its body is read.
    ///
    /// An answer here refuses the request at once; if a body was announced, the connection then closes, so
    /// that the body is never taken for the next request. Called on a server thread: it must not block.
    func admit(_ head: HTTPRequestHead) -> HTTPResponse?

    /// Answers a whole request, now or later and from any thread.
    ///
    /// Called on a server thread: it must not block. Until the answer comes, the connection is suspended
    /// and has no deadline of the server's; dropping the responder answers with `HTTPProblem.unanswered`.
    func handle(_ request: HTTPRequest, _ responder: HTTPResponder)

    /// Words what the server refuses itself, so that every body has the service's own error shape.
    ///
    /// `head` is nil when it could not be read. Called on a server thread: it must not block.
    func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse
}

extension HTTPHandler {
    public func admit(_ head: HTTPRequestHead) -> HTTPResponse? { nil }
}

/// What the server refuses without the handler's help.
///
/// A head that cannot be parsed at all (no version, longer than the connection's memory, a
/// `Content-Length` that is no number) never gets here: libmicrohttpd answers it with a page of its own.
public enum HTTPProblem: String, Sendable, CaseIterable {
    /// Ambiguous or malformed: two lengths, a length and chunks, no `Host`, a folded header, a target that
    /// is not text.
    case badRequest = "bad_request"
    case methodUnknown = "method_unknown"
    /// More than `HTTPServerConfiguration.bodyBytesMax`.
    case bodyTooLarge = "body_too_large"
    /// The bodies at hand already reach `HTTPServerConfiguration.bodiesBytesMax`.
    case overloaded
    /// The handler let go of the responder without an answer.
    case unanswered
    /// The server is stopping and waited for this answer as long as it could.
    case stopping

    /// The usual status of this refusal.
    public var status: Int {
        switch self {
        case .badRequest: 400
        case .methodUnknown: 501
        case .bodyTooLarge: 413
        case .unanswered: 500
        case .overloaded, .stopping: 503
        }
    }
}
