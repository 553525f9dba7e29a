/// The right to answer one request, once, from any thread.
///
/// It may outlive the connection and the server; an answer nobody waits for is dropped.
public final class HTTPResponder: Sendable {
    private let sink: any ResponseSink

    init(_ sink: any ResponseSink) { self.sink = sink }

    /// A responder without a server, to test a handler with.
    public convenience init(_ deliver: @escaping @Sendable (HTTPResponse) -> Void) {
        self.init(ClosureSink(deliver: deliver))
    }

    deinit { sink.finish(.problem(.unanswered)) }

    /// - Returns: False when this request was answered before, or nobody waits for the answer any more.
    @discardableResult
    public func respond(_ response: HTTPResponse) -> Bool { sink.finish(.response(response)) }
}

enum HTTPAnswer: Sendable {
    case response(HTTPResponse)
    case problem(HTTPProblem)
}

protocol ResponseSink: Sendable {
    /// Takes the first answer and refuses every later one.
    @discardableResult
    func finish(_ answer: HTTPAnswer) -> Bool
}
