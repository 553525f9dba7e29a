import HTTP
import Testing

/// Each test waits for the server to close; without the deadline it would wait until the time limit.
@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    @Test func silentConnectionIsClosed() async throws {
        let server = try HTTPServer(.test { $0.headMsMax = 200 }, handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.waitForEnd()
    }

    @Test func slowHeadIsCutOffThoughBytesKeepComing() async throws {
        let server = try HTTPServer(.test { $0.headMsMax = 250 }, handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send("GET / HTTP/1.1\r\nHost: test\r\nX: ")

        await #expect(throws: RawClientError.self) { try await drip("x", to: client) }
    }

    @Test func slowFirstLineIsCutOffThoughBytesKeepComing() async throws {
        let server = try HTTPServer(.test { $0.headMsMax = 250 }, handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send("GET /")

        await #expect(throws: RawClientError.self) { try await drip("x", to: client) }
    }

    @Test func slowBodyIsCutOffThoughBytesKeepComing() async throws {
        let server = try HTTPServer(.test { $0.bodyMsMax = 250 }, handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n")

        await #expect(throws: RawClientError.self) { try await drip("x", to: client) }
    }

    @Test func slowChunksAreCutOffThoughBytesKeepComing() async throws {
        let server = try HTTPServer(.test { $0.bodyMsMax = 250 }, handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")

        await #expect(throws: RawClientError.self) { try await drip("1\r\nx\r\n", to: client) }
    }

    @Test func idleConnectionIsClosed() async throws {
        let server = try HTTPServer(.test { $0.idleMsMax = 200 }, handler: TestHandler())
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))
        #expect(try await client.response().status == 200)

        try await client.waitForEnd()
    }

    @Test func clientThatDoesNotReadIsCutOff() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test { $0.writeMsMax = 250 }, handler: parked.handler)
        let client = try RawClient(port: server.port, receiveBytes: 4_096)

        try await client.send(get("/"))
        try await parked.next().respond(.text(String(repeating: "x", count: 16 << 20)))

        // The client reads nothing, so only the server can end this.
        while server.openConnections > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func waitingForTheHandlerHasNoDeadline() async throws {
        let parked = Parked()
        let server = try HTTPServer(
            .test {
                $0.headMsMax = 100
                $0.bodyMsMax = 100
                $0.idleMsMax = 100
                $0.writeMsMax = 10_000
            },
            handler: parked.handler
        )
        let waiting = try RawClient(port: server.port)
        try await waiting.send(get("/"))
        let responder = try await parked.next()

        // A connection made later than the waiting one is closed: the deadlines have passed by then.
        let marker = try RawClient(port: server.port)
        try await marker.waitForEnd()
        responder.respond(.text("patience"))

        #expect(try await waiting.response().body == "patience")
    }

    /// Sends for ever; the server's close is what ends it.
    private func drip(_ text: String, to client: RawClient) async throws {
        while true {
            try await client.send(text)
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
