import HTTP
import Testing

/// All bodies together stay within a bound, and whatever takes of it gives it back.
@Suite(.timeLimit(.minutes(5))) struct BodyBudgetTests {
    static let bounded = HTTPServerConfiguration.test {
        $0.bodyBytesMax = 1_000
        $0.bodiesBytesMax = 1_500
    }

    private func body(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func head(_ count: Int) -> String {
        "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: \(count)\r\n\r\n"
    }

    private func wait(for bytes: Int, in server: HTTPServer) async throws {
        while server.bodiesBytes != bytes { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func aBodyWithoutRoomIsRefusedBeforeItIsSent() async throws {
        let parked = Parked()
        let server = try HTTPServer(Self.bounded, handler: parked.handler)
        let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
        try await first.send(post("/", body(1_000)))
        let responder = try await parked.next()

        try await second.send(head(501))
        let response = try await second.response()

        #expect(response.status == 503)
        #expect(response.body == "problem overloaded")
        #expect(try await second.rest().isEmpty)
        responder.respond(.text("done"))
        #expect(try await first.response().body == "done")
    }

    @Test func aBodyThatFitsBesideTheOthersIsTaken() async throws {
        let parked = Parked()
        let server = try HTTPServer(Self.bounded, handler: parked.handler)
        let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
        try await first.send(post("/", body(1_000)))
        let responder = try await parked.next()

        try await second.send(post("/", body(500)))
        try await parked.next().respond(.text("second"))

        #expect(try await second.response().body == "second")
        responder.respond(.text("done"))
    }

    @Test func aBodyThatOutgrowsTheRoomIsRefusedAtItsEnd() async throws {
        let parked = Parked()
        let server = try HTTPServer(Self.bounded, handler: parked.handler)
        let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
        // Both begin while there is room for either.
        try await first.send(head(1_000) + "x")
        try await second.send(head(1_000) + "x")
        try await wait(for: 2, in: server)
        try await first.send(body(999))
        let responder = try await parked.next()

        try await second.send(body(999))

        #expect(try await second.response().body == "problem overloaded")
        #expect(try await second.rest().isEmpty)
        responder.respond(.text("done"))
    }

    @Test func chunksThatOutgrowTheRoomAreRefusedAtTheirEnd() async throws {
        let parked = Parked()
        let server = try HTTPServer(Self.bounded, handler: parked.handler)
        let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
        try await first.send(post("/", body(1_000)))
        let responder = try await parked.next()

        try await second.send(chunked("/", body(900), size: 100))

        #expect(try await second.response().body == "problem overloaded")
        try await wait(for: 1_000, in: server)
        responder.respond(.text("done"))
    }

    @Test func whatIsOnlyAnnouncedTakesNoRoom() async throws {
        let server = try HTTPServer(Self.bounded, handler: TestHandler.answering { "\($0.body.count)" })
        let idlers = try (0..<5).map { _ in try RawClient(port: server.port) }
        for idler in idlers { try await idler.send(head(1_000) + "x") }
        try await wait(for: 5, in: server)

        let client = try RawClient(port: server.port)
        try await client.send(post("/", body(1_000)))

        #expect(try await client.response().body == "1000")
    }

    @Test func anAnsweredBodyGivesItsRoomBack() async throws {
        let server = try HTTPServer(Self.bounded, handler: TestHandler.answering { "\($0.body.count)" })
        let client = try RawClient(port: server.port)

        for _ in 0..<5 {
            try await client.send(post("/", body(1_000)))
            #expect(try await client.response().body == "1000")
        }

        try await wait(for: 0, in: server)
    }

    @Test func anAbortedBodyGivesItsRoomBack() async throws {
        let server = try HTTPServer(Self.bounded, handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send(head(1_000) + body(900))
        try await wait(for: 900, in: server)

        await client.disconnect()

        try await wait(for: 0, in: server)
    }

    @Test func aBodyOverItsOwnLimitGivesItsRoomBack() async throws {
        let server = try HTTPServer(Self.bounded, handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send(chunked("/", body(1_400), size: 100))

        #expect(try await client.response().body == "problem body_too_large")
        try await wait(for: 0, in: server)
    }
}
