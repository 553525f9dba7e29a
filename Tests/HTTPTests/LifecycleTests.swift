import Glibc
import HTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    /// Where no other test listens: a port that has become free here is taken by nobody else.
    static let ownHost = "127.0.0.2"
    static let freedHost = "127.0.0.3"
    static let twiceHost = "127.0.0.4"

    @Test func busyPortIsNamed() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())

        let error = #expect(throws: HTTPServerError.self) {
            try HTTPServer(.test { $0.port = server.port }, handler: TestHandler())
        }

        let place = "127.0.0.1 port \(server.port)"
        #expect(error?.description == "cannot listen on \(place): Address already in use")
    }

    @Test(arguments: ["localhost", "", "1.2.3", "127.0.0.1:80"])
    func addressThatIsNotNumericIsRefused(address: String) {
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(HTTPServerConfiguration(address: address), handler: TestHandler())
        }
    }

    @Test(arguments: [-1, 65_536])
    func portOutsideTheRangeIsRefused(port: Int) {
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(HTTPServerConfiguration(address: "127.0.0.1", port: port), handler: TestHandler())
        }
    }

    @Test func anyIPv6AddressAlsoTakesIPv4() async throws {
        let server = try HTTPServer(
            .test { $0.address = "::" },
            handler: TestHandler.answering { "\($0.peer)" }
        )
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))

        #expect(try await client.response().body == "127.0.0.1")
    }

    @Test func oneThreadIsEnough() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test { $0.threads = 1 }, handler: parked.handler)
        let client = try RawClient(port: server.port)

        try await client.send(get("/"))
        try await parked.next().respond(.text("one"))

        #expect(try await client.response().body == "one")
    }

    @Test func connectionBeyondTheLimitIsClosed() async throws {
        let server = try HTTPServer(.test { $0.connectionsMax = 1 }, handler: TestHandler())
        let first = try RawClient(port: server.port)
        try await first.send(get("/"))
        #expect(try await first.response().status == 200)

        try await RawClient(port: server.port).waitForEnd()

        try await first.send(get("/again"))
        #expect(try await first.response().body == "GET /again ")
    }

    @Test func drainWaitsForWhatIsInFlight() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test { $0.address = Self.ownHost }, handler: parked.handler)
        let client = try RawClient(port: server.port, host: Self.ownHost)
        try await client.send(get("/"))
        let responder = try await parked.next()

        async let drained: Void = server.drain(ms: 30_000)
        try await waitUntilRefused(port: server.port)
        responder.respond(.text("finished"))
        let response = try await client.response()
        await drained

        #expect(response.body == "finished")
        #expect(response.header("connection") == "close")
    }

    @Test func drainClosesIdleConnections() async throws {
        let server = try HTTPServer(.test(), handler: TestHandler())
        let client = try RawClient(port: server.port)
        try await client.send(get("/"))
        #expect(try await client.response().status == 200)

        await server.drain(ms: 30_000)

        #expect(try await client.rest().isEmpty)
    }

    @Test func drainAnswersForAHandlerThatDoesNot() async throws {
        let parked = Parked()
        let server = try HTTPServer(.test(), handler: parked.handler)
        let client = try RawClient(port: server.port)
        try await client.send(get("/"))
        let responder = try await parked.next()

        await server.drain(ms: 0)

        #expect(try await client.response().body == "problem stopping")
        #expect(!responder.respond(.text("too late")))
    }

    @Test func drainTwiceIsDrainOnce() async throws {
        let server = try HTTPServer(.test { $0.address = Self.twiceHost }, handler: TestHandler())

        await server.drain(ms: 100)
        await server.drain(ms: 100)

        #expect(throws: RawClientError.system(ECONNREFUSED)) {
            try RawClient(port: server.port, host: Self.twiceHost)
        }
    }

    @Test func portIsFreeAfterDrain() async throws {
        var configuration = HTTPServerConfiguration.test { $0.address = Self.freedHost }
        let server = try HTTPServer(configuration, handler: TestHandler())
        await server.drain(ms: 100)

        configuration.port = server.port
        let next = try HTTPServer(configuration, handler: TestHandler())

        #expect(next.port == server.port)
    }

    /// Goal: stopping in the middle of traffic neither crashes nor leaves a client without an end.
    ///
    /// Method: clients that send as fast as they can while the server drains and answers come from elsewhere.
    @Test(arguments: 1...20) func stopUnderLoadEndsEveryConnection(round: Int) async throws {
        let server = try HTTPServer(.test(), handler: TestHandler.answeringElsewhere)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let client = try RawClient(port: server.port)
                group.addTask {
                    while true {
                        do {
                            try await client.send(post("/", "body"))
                            _ = try await client.response()
                        } catch { return }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(round))
            await server.drain(ms: round % 2 == 0 ? 1_000 : 0)
            try await group.waitForAll()
        }

        #expect(server.openConnections == 0)
    }

    /// Returns once the server takes no new connections.
    private func waitUntilRefused(port: Int) async throws {
        while (try? RawClient(port: port, host: Self.ownHost)) != nil {
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
