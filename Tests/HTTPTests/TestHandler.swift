import Dispatch
import HTTP
import Synchronization

/// A handler made of closures; without one it answers 200 with the method, the path and the body.
struct TestHandler: HTTPHandler {
    var onAdmit: @Sendable (HTTPRequestHead) -> HTTPResponse? = { _ in nil }
    var onHandle: @Sendable (HTTPRequest, HTTPResponder) -> Void = { request, responder in
        responder.respond(.text("\(request.method) \(request.path) \(request.text)"))
    }

    func admit(_ head: HTTPRequestHead) -> HTTPResponse? { onAdmit(head) }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) { onHandle(request, responder) }

    func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        .text("problem \(problem.rawValue)", status: problem.status)
    }

    /// Answers with what the closure says of the request.
    static func answering(_ text: @escaping @Sendable (HTTPRequest) -> String) -> TestHandler {
        TestHandler(onHandle: { $1.respond(.text(text($0))) })
    }
}

extension HTTPResponse {
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }
}

extension HTTPRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPServerConfiguration {
    /// Any port of this machine; deadlines far away, and looked at often.
    static func test(_ change: (inout HTTPServerConfiguration) -> Void = { _ in }) -> HTTPServerConfiguration
    {
        var configuration = HTTPServerConfiguration(address: "127.0.0.1")
        configuration.sweepMs = 20
        change(&configuration)
        return configuration
    }
}

/// Keeps responders for later, and lets a test wait for them.
final class Parked: Sendable {
    private let arrivals: AsyncStream<HTTPResponder>.Continuation
    private let stream: AsyncStream<HTTPResponder>

    init() { (stream, arrivals) = AsyncStream.makeStream() }

    var handler: TestHandler { TestHandler(onHandle: { [self] in park($1) }) }

    func park(_ responder: HTTPResponder) { arrivals.yield(responder) }

    func next() async throws -> HTTPResponder {
        for await responder in stream { return responder }
        throw RawClientError.ended
    }
}

func get(_ target: String, _ headers: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n"
}

func post(_ target: String, _ body: String, _ headers: String = "") -> String {
    "POST \(target) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
}

/// A body in chunks of at most `size` bytes.
func chunked(_ target: String, _ body: String, size: Int) -> String {
    var text = "POST \(target) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
    var rest = Array(body.utf8)[...]
    while !rest.isEmpty {
        let piece = rest.prefix(size)
        text += String(piece.count, radix: 16) + "\r\n" + String(decoding: piece, as: UTF8.self) + "\r\n"
        rest = rest.dropFirst(size)
    }
    return text + "0\r\n\r\n"
}

extension TestHandler {
    /// Answers from another thread, as soon as it can.
    static let answeringElsewhere = TestHandler(onHandle: { request, responder in
        DispatchQueue.global().async { responder.respond(.text(request.path)) }
    })
}
