import CMicroHTTPD
import Synchronization

/// One connection, as its server thread sees it: the request being read, then the answer being waited for.
///
/// Made when the socket opens and kept in libmicrohttpd's socket context until it closes. Only the one server
/// thread that owns the connection touches it; what others may do goes through `watch`.
final class HTTPConnection {
    let watch: ConnectionWatch
    private let service: HTTPService
    private let peer: HTTPPeer
    private var isFirstRequest = true
    private var lingers = false

    private var stage = Stage.idle
    private var target: RequestTarget?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var bodyBytes = 0
    /// What this body has taken from the budget of all.
    private var budgetBytes = 0
    private var isOverloaded = false
    private var isChunked = false
    private var held: HTTPResponse?
    private var exchange: HTTPExchange?

    private enum Stage { case idle, head, body, handling, replying }

    init(service: HTTPService, peer: HTTPPeer, descriptor: Int32) {
        self.service = service
        self.peer = peer
        watch = ConnectionWatch(
            descriptor: descriptor,
            deadlineMs: service.deadlineMs(after: service.configuration.headMsMax)
        )
    }

    /// The request line has arrived.
    func begin(_ text: UnsafePointer<CChar>?) {
        // The first head's time began with the connection: a slow first line buys no second term.
        let deadlineMs = isFirstRequest ? nil : service.deadlineMs(after: service.configuration.headMsMax)
        isFirstRequest = false
        watch.begin(deadlineMs: deadlineMs)
        stage = .head
        target = text.flatMap { RequestTarget($0) }
    }

    /// libmicrohttpd's access handler: once after the head, once for each piece of the body, once at its end
    /// and once more whenever the connection is resumed.
    func proceed(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>,
        piece: UnsafeRawBufferPointer
    ) -> MHD_Result {
        switch stage {
        case .head:
            stage = .body
            return judgeHead(connection, method: method, version: version)
        case .body where !piece.isEmpty:
            return keep(piece)
        case .body:
            return handle(connection)
        case .handling:
            return replyOrSuspend(connection)
        case .idle, .replying:
            return .NO
        }
    }

    /// The request is over, whether answered or not.
    func finish(withError: Bool) {
        // libmicrohttpd ends a request it has refused itself in the same way as one that broke.
        if withError && stage != .replying && stage != .handling { lingers = true }
        exchange?.close()
        if exchange != nil { watch.setWaiting(nil) }
        stage = .idle
        target = nil
        head = nil
        dropBody()
        bodyBytes = 0
        isOverloaded = false
        held = nil
        exchange = nil
        watch.rest(deadlineMs: service.deadlineMs(after: service.configuration.idleMsMax))
    }

    /// The socket is about to be closed.
    func close(_ descriptor: Int32) {
        watch.forgetSocket()
        if lingers { service.housekeeper.linger(descriptor) }
    }

    private func judgeHead(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        watch.expect(byMs: service.deadlineMs(after: service.configuration.bodyMsMax))
        let reader = RequestHeadReader(connection: connection, method: method, version: version)
        let contentLength = reader.contentLength
        let announcesBody = reader.isChunked || contentLength ?? 0 > 0
        isChunked = reader.isChunked

        guard let target, reader.isSound(isHTTP10: HTTPVersion.isHTTP10(version)) else {
            return refuseNow(connection, .badRequest)
        }
        let head = HTTPRequestHead(
            method: String(cString: method),
            path: target.path,
            query: target.query,
            headers: reader.headers,
            peer: peer,
            contentLength: contentLength
        )
        self.head = head
        guard head.knownMethod != nil else { return refuseNow(connection, .methodUnknown) }
        guard contentLength ?? 0 <= service.configuration.bodyBytesMax else {
            return refuseNow(connection, .bodyTooLarge)
        }
        if let response = service.handler.admit(head) {
            if announcesBody { return refuseNow(connection, response) }
            // libmicrohttpd closes the connection after any answer given here; at the end of the request,
            // which without a body comes next, it need not.
            held = response
            return .YES
        }
        guard !announcesBody || service.bodies.hasRoom(for: contentLength ?? 1) else {
            return refuseNow(connection, .overloaded)
        }
        if let contentLength { body.reserveCapacity(contentLength) }
        return .YES
    }

    private func keep(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
        bodyBytes += piece.count
        let bytesMax = service.configuration.bodyBytesMax
        if bodyBytes <= bytesMax, !isOverloaded {
            if service.bodies.take(piece.count) {
                budgetBytes += piece.count
                body.append(contentsOf: piece)
                return .YES
            }
            isOverloaded = true
        }
        // No answer can be given before the end of a body, so the rest is counted on and thrown away.
        dropBody()
        return bodyBytes / max(bytesMax, 1) <= service.configuration.discardFactor ? .YES : .NO
    }

    private func dropBody() {
        body = []
        service.bodies.giveBack(budgetBytes)
        budgetBytes = 0
    }

    private func handle(_ connection: OpaquePointer) -> MHD_Result {
        if let held { return reply(connection, held) }
        guard let head, bodyBytes <= service.configuration.bodyBytesMax else {
            return refuseNow(connection, .bodyTooLarge)
        }
        if isOverloaded { return refuseNow(connection, .overloaded) }
        if isChunked, MHD_get_connection_values(connection, .FOOTER_KIND, nil, nil) > 0 {
            // Nobody sends trailers with a request, and their end is as forgeable as the head's.
            return refuseNow(connection, .badRequest)
        }
        stage = .handling
        watch.expectNothing()
        let exchange = HTTPExchange()
        self.exchange = exchange
        service.handler.handle(HTTPRequest(head: head, body: body), HTTPResponder(exchange))
        body = []
        return replyOrSuspend(connection)
    }

    private func replyOrSuspend(_ connection: OpaquePointer) -> MHD_Result {
        guard let exchange else { return .NO }
        let answer = exchange.takeAnswer(orSuspend: connection, watch: watch, unless: service.isStopping)
        switch answer {
        case nil: return .YES
        case .response(let response): return reply(connection, response)
        case .problem(let problem):
            return reply(connection, service.handler.refusal(of: problem, head: head))
        }
    }

    private func refuseNow(_ connection: OpaquePointer, _ problem: HTTPProblem) -> MHD_Result {
        refuseNow(connection, service.handler.refusal(of: problem, head: head))
    }

    private func refuseNow(_ connection: OpaquePointer, _ response: HTTPResponse) -> MHD_Result {
        var response = response
        response.closesConnection = true
        return reply(connection, response)
    }

    private func reply(_ connection: OpaquePointer, _ response: HTTPResponse) -> MHD_Result {
        stage = .replying
        watch.expect(byMs: service.deadlineMs(after: service.configuration.writeMsMax))
        let closes = response.closesConnection || service.isDraining.load(ordering: .relaxed)
        // More may be on its way, of this request or the next.
        lingers = closes
        return response.queue(on: connection, closes: closes)
    }
}

enum HTTPVersion {
    static func isHTTP10(_ version: UnsafePointer<CChar>) -> Bool { strcmp(version, "HTTP/1.0") == 0 }
}
