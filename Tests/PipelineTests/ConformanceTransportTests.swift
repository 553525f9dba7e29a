import Gzip
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: whatever HTTP allows on the way is understood, and what abuses it ends.
    @Suite struct TransportTests {
        private func head(_ world: Conformance, _ headers: String) -> String {
            "POST /v1/events HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                + "X-App-Key: \(world.app.key("ios"))\r\n\(headers)\r\n"
        }

        private func request(_ world: Conformance, _ body: [UInt8], _ headers: String = "") -> [UInt8] {
            Array(head(world, "Content-Length: \(body.count)\r\n\(headers)").utf8) + body
        }

        private func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                bytes += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
                rest = rest.dropFirst(size)
            }
            return bytes + Array("0\r\n\r\n".utf8)
        }

        @Test(arguments: [1, 7, 4_096]) func aBodyInChunks(size: Int) async throws {
            let world = try Conformance.shared()
            let bytes =
                Array(head(world, "Transfer-Encoding: chunked\r\n").utf8)
                + chunked(Draft(Draft.event()).bytes, size: size)

            let answer = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(bytes)
                return try connection.answer()
            }

            #expect(answer.json["accepted"] == 1)
        }

        @Test func aBodyInChunksBeyondTheLimit() async throws {
            let world = try Conformance.shared()
            let bytes =
                Array(head(world, "Transfer-Encoding: chunked\r\n").utf8)
                + chunked(Draft(Draft.event()).bytes(padded: 2 << 20), size: 60_000)

            let answer = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(bytes)
                return try connection.answer()
            }

            #expect(answer.status == 413)
            #expect(answer.errorCode == "payload_too_large")
        }

        @Test func requestsOneBehindTheOther() async throws {
            let world = try Conformance.shared()
            let bodies: [[UInt8]] = [
                Draft(Draft.event()).bytes, Draft(events: Draft.starts(3)).bytes, Array("{".utf8),
                Draft(events: Draft.starts(2)).bytes,
            ]
            let bytes = bodies.flatMap { request(world, $0) }

            let answers = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(bytes)
                return try bodies.map { _ in try connection.answer() }
            }

            #expect(answers.map(\.status) == [200, 200, 400, 200])
            #expect(answers.map { $0.json["accepted"].int } == [1, 3, nil, 2])
        }

        @Test func anExpectationIsMet() async throws {
            let world = try Conformance.shared()
            let body = Draft(Draft.event()).bytes
            let head = head(world, "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n")

            let answers = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(head)
                let first = try connection.answer()
                try connection.send(body)
                return [first, try connection.answer()]
            }

            #expect(answers.map(\.status) == [100, 200])
        }

        @Test(arguments: [("X-App-Key: pk_unknown", 401), ("Content-Encoding: br", 400)])
        func anExpectationOfWhatIsRefusedGetsItsAnswerAtOnce(header: String, status: Int) async throws {
            let world = try Conformance.shared()
            let lines =
                "POST /v1/events HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\(header)\r\n"
                + "Content-Length: 900000\r\nExpect: 100-continue\r\n\r\n"

            let answer = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(lines)
                return try connection.answer()
            }

            #expect(answer.status == status)
        }

        @Test func aHeadWithoutMeasureIsRefused() async throws {
            let world = try Conformance.shared()
            let lines = head(world, "X-Long: \(String(repeating: "x", count: 60_000))\r\n")

            let answer = try await onConnection(port: world.ingest.servicePort) { connection in
                try connection.send(lines)
                return try connection.answer()
            }

            #expect(answer.status == 431)
        }

        /// Begun with the suite, so that its deadline passes while the others run.
        @Test func aHeadThatNeverEndsIsCutOff() async throws {
            let world = try Conformance.shared()

            try await world.slowHead.value

            #expect(try await world.post(Draft(Draft.event())).status == 200)
        }

        /// Goal: more bodies at once than there is room for cost the newest a 503, and nobody else anything.
        @Test func bodiesBeyondTheRoomForThemAreToldToComeBack() async throws {
            try await Stack.run { stack in
                let ingest = try await stack.start(.ingest, ["INGEST_BODIES_BYTES_MAX": "4194304"])
                let app = try await stack.createApp()
                let body = Draft(Draft.event()).bytes(padded: 1_000_000)
                let begin =
                    "POST /v1/events HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                    + "X-App-Key: \(app.anyKey)\r\nContent-Length: \(body.count)\r\n"

                let (refused, answers) = try await onThread {
                    let port = ingest.servicePort ?? 0
                    let slow = try (0..<4).map { _ in try RawConnection(port: port) }
                    for connection in slow {
                        try connection.send(Array("\(begin)\r\n".utf8) + body.dropLast())
                    }
                    // Refused only once the others' bodies have arrived; before that it is asked for its own, and breaks off.
                    var refused: HTTPAnswer?
                    while refused?.status != 503 {
                        let one = try RawConnection(port: port)
                        try one.send("\(begin)Expect: 100-continue\r\n\r\n")
                        refused = try one.answer()
                    }
                    for connection in slow { try connection.send(Array(body.suffix(1))) }
                    return (refused, try slow.map { try $0.answer() })
                }

                #expect(refused?.errorCode == "storage_unavailable")
                #expect(refused?.retryAfterSeconds ?? 0 >= 1)
                #expect(answers.map(\.status) == [200, 200, 200, 200])
                #expect(try await stack.post(body, key: app.anyKey).status == 200)
            }
        }
    }
}
