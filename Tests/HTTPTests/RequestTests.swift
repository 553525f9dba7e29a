import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    @Test func oneConnectionServesTwoRequests() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send(get("/one"))
        #expect(try await client.response().body == "GET /one ")
        try await client.send(get("/two"))
        #expect(try await client.response().body == "GET /two ")
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send(post("/one", "first") + post("/two", "second"))

        #expect(try await client.response().body == "POST /one first")
        #expect(try await client.response().body == "POST /two second")
    }

    @Test func pipelinedRequestsAnsweredLaterKeepTheirOrder() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server.port)

        try await client.send(post("/one", "first") + post("/two", "second"))
        try await parked.next().respond(.text("answer one"))
        try await parked.next().respond(.text("answer two"))

        #expect(try await client.response().body == "answer one")
        #expect(try await client.response().body == "answer two")
    }

    @Test func chunksOfOneByteMakeOneBody() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send(chunked("/c", "chunked body", size: 1) + get("/after"))

        #expect(try await client.response().body == "POST /c chunked body")
        #expect(try await client.response().body == "GET /after ")
    }

    @Test func bodyLargerThanTheConnectionsMemoryArrivesWhole() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { "\($0.body.count) \($0.body.last ?? 0)" }
        )
        let client = try RawClient(port: server.port)

        try await client.send(post("/", String(repeating: "x", count: 999_999) + "y"))

        #expect(try await client.response().body == "1000000 121")
    }

    @Test func answerLargerThanAnyBufferArrivesWhole() async throws {
        let text = String(repeating: "z", count: 3 << 20)
        let server = try HTTPServer(.test(), handler: TestHandler.answering { _ in text })
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))

        #expect(try await client.response().body == text)
    }

    @Test func headHasTheLengthButNotTheBody() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler.answering { $0.method })
        let client = try RawClient(port: server.port)

        try await client.send("HEAD / HTTP/1.1\r\nHost: test\r\n\r\n" + get("/"))
        let head = try await client.response(toHead: true)

        #expect(head.header("content-length") == "4")
        #expect(try await client.response().body == "GET")
    }

    @Test func targetStaysEncoded() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { "\($0.path) \($0.query ?? "none")" }
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/a%2Fb/../%00?x=%26&y=1+2?"))

        #expect(try await client.response().body == "/a%2Fb/../%00 x=%26&y=1+2?")
    }

    @Test(arguments: [
        ("http://example.com/p?q", "/p q"), ("HTTPS://example.com", "/ none"), ("*", "* none"),
        ("/", "/ none"), ("/?", "/ "),
    ])
    func everyFormOfTargetIsUnderstood(target: String, expected: String) async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { "\($0.path) \($0.query ?? "none")" }
        )
        let client = try RawClient(port: server.port)

        try await client.send(get(target))

        #expect(try await client.response().body == expected)
    }

    @Test func headersAreFoundWhateverTheirCase() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { request in
                let headers = request.headers
                return "\(headers["x-KEY"] ?? "none")|\(headers.values("X-Many").joined(separator: ","))"
            }
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/", "X-Key: \t va lue \t\r\nx-many: 1\r\nX-MANY: 2\r\n"))

        #expect(try await client.response().body == "va lue|1,2")
    }

    @Test func longHeadInManyPiecesIsReadWhole() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { "\($0.headers.count) \($0.headers["X-99"] ?? "none")" }
        )
        let client = try RawClient(port: server.port)
        let query = (0..<50).map { "q\($0)=\($0)" }.joined(separator: "&")
        let headers = (0..<100).map { "X-\($0): \(String(repeating: "v", count: 150))" }

        try await client.send("GET /?\(query) HTTP/1.1\r\nHost: test\r\n")
        for header in headers { try await client.send(header + "\r\n") }
        try await client.send("\r\n")

        #expect(try await client.response().body == "101 \(String(repeating: "v", count: 150))")
    }

    @Test func peerIsTheClientsAddress() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler.answering { "\($0.peer) \($0.peer.port > 0)" }
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))

        #expect(try await client.response().body == "127.0.0.1 true")
    }

    @Test func unknownMethodIsRefusedInTheServicesWords() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send("get / HTTP/1.1\r\nHost: test\r\n\r\n")
        let response = try await client.response()

        #expect(response.status == 501)
        #expect(response.body == "problem method_unknown")
    }

    @Test func headerThatBreaksItsLineIsLeftOut() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler(onHandle: { _, responder in
                var response = HTTPResponse.text("ok")
                response.headers += [("X-Bad", "a\r\nX-Injected: 1"), ("X-Good", "1")]
                response.headers.append(("Content-Length", "99"))
                responder.respond(response)
            })
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))
        let response = try await client.response()

        #expect(response.header("x-injected") == nil)
        #expect(response.header("x-bad") == nil)
        #expect(response.header("x-good") == "1")
        #expect(response.header("content-length") == "2")
    }

    @Test func closingAnswerClosesTheConnection() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler(onHandle: { _, responder in
                var response = HTTPResponse.text("bye")
                response.closesConnection = true
                responder.respond(response)
            })
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))

        #expect(try await client.response().header("connection") == "close")
        #expect(try await client.rest().isEmpty)
    }
}
