import Dispatch
import HTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
    @Test func hundredAnswersComeFromOtherThreads() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler(onHandle: { request, responder in
                DispatchQueue.global().async { responder.respond(.text("answer to \(request.path)")) }
            })
        )

        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let client = try RawClient(port: server.port)
                    try await client.send(post("/\(index)", "body"))
                    #expect(try await client.response().body == "answer to /\(index)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// Goal: an answer that comes while the connection is being suspended is neither lost nor early.
    ///
    /// Method: answer from another thread at once, thousands of times, so that it comes on both sides of the
    /// suspension and in its middle. A lost one leaves its client waiting until the time limit.
    @Test func answerMayComeWhileTheConnectionIsBeingSuspended() async throws {
        let queue = DispatchQueue(label: "racer", attributes: .concurrent)
        let server = try HTTPServer(
            .test(),
            handler: TestHandler(onHandle: { request, responder in
                queue.async { responder.respond(.text(request.path)) }
            })
        )

        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    let client = try RawClient(port: server.port)
                    for index in 0..<1_000 {
                        try await client.send(get("/\(lane)/\(index)"))
                        #expect(try await client.response().body == "/\(lane)/\(index)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func onlyTheFirstAnswerCounts() async throws {
        let handler = SecondAnswer()
        let server = try HTTPServer(.test(), handler: TestHandler(onHandle: { handler.handle($1) }))
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))

        #expect(try await client.response().body == "first")
        let wasAccepted = handler.wasAccepted.load(ordering: .acquiring)
        #expect(!wasAccepted)
    }

    @Test func responderDroppedAtOnceIsAnsweredForTheHandler() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler(onHandle: { _, _ in }))
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))
        let response = try await client.response()

        #expect(response.status == 500)
        #expect(response.body == "problem unanswered")
    }

    @Test func responderDroppedLaterIsAnsweredForTheHandler() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))
        _ = try await parked.next()

        #expect(try await client.response().body == "problem unanswered")
    }

    @Test func clientGoneWhileWaitingHarmsNobody() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server.port)
        try await client.send(get("/"))
        let responder = try await parked.next()

        await client.disconnect()
        responder.respond(.text("too late"))

        let other = try RawClient(port: server.port)
        try await other.send(get("/"))
        try await parked.next().respond(.text("in time"))
        #expect(try await other.response().body == "in time")
    }

    @Test func connectionOfAGoneClientIsGivenBack() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server.port)
        try await client.send(get("/"))
        let responder = try await parked.next()

        await client.disconnect()
        responder.respond(.text("too late"))

        while server.openConnections > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func responderOutlivesItsServer() async throws {
        let parked = Parked()
        var server: HTTPServer? = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server?.port ?? 0)
        try await client.send(get("/"))
        let responder = try await parked.next()

        server = nil

        #expect(!responder.respond(.text("too late")))
    }

    @Test func connectionGoesOnAfterNotModified() async throws {
        let server = try HTTPServer(
            .test(),
            handler: TestHandler(onHandle: { request, responder in
                let isKnown = request.path == "/known"
                responder.respond(
                    isKnown ? HTTPResponse(status: 304, headers: [("ETag", "\"a\"")]) : .text("new")
                )
            })
        )
        let client = try RawClient(port: server.port)
        for _ in 0..<3 {
            try await client.send(get("/known"))
            let known = try await client.response()
            #expect(known.status == 304)
            #expect(known.header("etag") == "\"a\"")

            // On the same connection: nothing of the first is left on it.
            try await client.send(get("/other"))
            #expect(try await client.response().body == "new")
        }
    }

    @Test func closureResponderTakesOneAnswer() {
        let statuses = Mutex<[Int]>([])
        do {
            let responder = HTTPResponder { response in statuses.withLock { $0.append(response.status) } }
            responder.respond(HTTPResponse(status: 204))
            responder.respond(HTTPResponse(status: 205))
        }
        #expect(statuses.withLock { $0 } == [204])
    }
}

/// Answers twice and remembers what became of the second.
private final class SecondAnswer: Sendable {
    let wasAccepted = Atomic(true)

    func handle(_ responder: HTTPResponder) {
        let first = responder.respond(.text("first"))
        let second = responder.respond(.text("second"))
        wasAccepted.store(!first || second, ordering: .releasing)
    }
}
