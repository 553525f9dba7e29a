import Contracts
import HTTP
import JSON
import ServiceKit
import TestSupport
import Testing

@testable import IngestCore

extension HTTPAnswer {
    /// `error.code`, `error.request_id` and the like; nil when the body has none.
    func error(_ name: String) throws -> String? {
        try JSONParser().withDocument(Array(body.utf8)) { $0["error"]?[name]?.string }
    }
}

/// What needs no broker: none of these is published.
@Suite(.serialized, .timeLimit(.minutes(1))) struct IngestRefusalTests {
    private let world: IngestWorld

    init() throws { world = try IngestWorld(brokers: IngestWorld.nowhere) }

    static let post = PostText()

    /// A request and what it is refused with.
    struct Refused: Sendable, CustomTestStringConvertible {
        let status: Int
        let code: String
        var method = "POST"
        var target = "/v1/events"
        var request = post

        var testDescription: String { "\(status) \(code)" }
    }

    static let refused = [
        Refused(status: 400, code: "invalid_json", request: PostText(Array("{".utf8))),
        Refused(status: 400, code: "invalid_batch", request: PostText(BatchText.of([]))),
        Refused(
            status: 400,
            code: "unsupported_content_encoding",
            request: post.with("Content-Encoding", "br")
        ),
        Refused(status: 401, code: "missing_app_key", request: post.with("X-App-Key", nil)),
        Refused(status: 401, code: "invalid_app_key", request: post.with("X-App-Key", "pk_x")),
        Refused(
            status: 403,
            code: "app_archived",
            request: post.with("X-App-Key", PipelineWorld.archivedKey)
        ),
        Refused(
            status: 413,
            code: "payload_too_large",
            request: PostText(paddedBatch(bytes: EventLimits.bodyBytesMax + 1))
        ),
        Refused(
            status: 413,
            code: "payload_too_large",
            request: PostText(paddedBatch(bytes: EventBodies.receivedBytesMax + 1))
        ),
        Refused(status: 415, code: "unsupported_media_type", request: post.with("Content-Type", nil)),
        Refused(status: 404, code: "not_found", target: "/v1/event"),
        Refused(status: 404, code: "not_found", target: "/v1/events/"),
        Refused(status: 404, code: "not_found", target: "/V1/events"),
        Refused(status: 404, code: "not_found", method: "GET", target: "/"),
        Refused(status: 404, code: "not_found", method: "BREW", target: "/"),
        Refused(status: 405, code: "method_not_allowed", method: "GET"),
        Refused(status: 405, code: "method_not_allowed", method: "PUT"),
        Refused(status: 405, code: "method_not_allowed", method: "PATCH"),
        Refused(status: 405, code: "method_not_allowed", method: "DELETE"),
        Refused(status: 405, code: "method_not_allowed", method: "BREW"),
    ]

    private func answer(_ refused: Refused, origin: String? = nil) async throws -> HTTPAnswer {
        var headers = refused.request.headers
        if let origin { headers.append(("Origin", origin)) }
        let body = String(decoding: refused.request.body, as: UTF8.self)
        return try await world.send(refused.method, refused.target, headers: headers, body: body)
    }

    @Test(arguments: refused) func hasItsStatusAndCode(_ refused: Refused) async throws {
        let answer = try await answer(refused)

        #expect(answer.status == refused.status)
        #expect(try answer.error("code") == refused.code)
        #expect(answer.header("Content-Type") == "application/json")
    }

    @Test(arguments: refused) func hasOneRequestIDInHeaderAndEnvelope(_ refused: Refused) async throws {
        let answer = try await answer(refused)

        let id = try #require(answer.header("X-Request-Id"))
        #expect(try answer.error("request_id") == id)
        #expect(id.count == 26)
    }

    @Test(arguments: refused) func canBeReadByAPage(_ refused: Refused) async throws {
        let answer = try await answer(refused, origin: "https://shop.example.com")

        #expect(answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("Access-Control-Expose-Headers") == "Retry-After, X-Request-Id")
    }

    @Test(arguments: refused) func saysNothingOfCORSToOthers(_ refused: Refused) async throws {
        #expect(try await answer(refused).header("Access-Control-Allow-Origin") == nil)
    }

    @Test(arguments: ["GET", "PUT", "PATCH", "DELETE", "HEAD", "BREW"])
    func anotherMethodIsToldTheOnesThereAre(method: String) async throws {
        let answer = try await world.send(method, body: "")

        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "POST, OPTIONS")
    }

    @Test func headHasNoBody() async throws {
        let answer = try await world.send("HEAD", body: "")

        #expect(answer.body.isEmpty)
        #expect(answer.header("X-Request-Id")?.count == 26)
    }

    @Test func aKeyInTheQueryIsNone() async throws {
        let answer = try await world.send(
            "POST",
            "/v1/events?app_key=\(PipelineWorld.key)",
            headers: PostText().with("X-App-Key", nil).headers
        )

        #expect(try answer.error("code") == "missing_app_key")
    }

    @Test func requestIDsDiffer() async throws {
        let first = try await world.send(PostText().with("X-App-Key", "pk_x"))
        let second = try await world.send(PostText().with("X-App-Key", "pk_x"))

        #expect(first.header("X-Request-Id") != second.header("X-Request-Id"))
    }

    @Test func theLanguageFollowsTheClient() async throws {
        let answer = try await world.send(
            PostText(BatchText.of([])).with("Accept-Language", "ru-RU,en;q=0.5")
        )

        #expect(try answer.error("message") == "Пакет не соответствует формату.")
    }

    @Test func aBatchOfRejectedEventsNeedsNoBroker() async throws {
        let answer = try await world.send(PostText(BatchText.ofValues(["null"])))

        #expect(answer.status == 200)
        #expect(answer.body.hasPrefix(#"{"accepted":0,"rejected":[{"index":0,"insert_id":null,"#))
    }

    @Test func refusalsAreCountedByCode() async throws {
        _ = try await world.send(PostText().with("X-App-Key", "pk_x"))

        #expect(
            world.metrics.contains(#"foreground_ingest_batches_refused_total{code="invalid_app_key"} 1"#)
        )
    }

    @Test func theLogNamesTheRequestAndTheCode() async throws {
        let answer = try await world.send(PostText().with("X-App-Key", "pk_x"))

        let id = try #require(answer.header("X-Request-Id"))
        let line = try #require(world.log.lines.first { $0.contains(id) })
        #expect(line.contains("invalid_app_key"))
        #expect(line.contains("debug"))
    }

    @Test func theLogHoldsNothingOfTheBody() async throws {
        let event = EventText.start {
            $0["user_id"] = quoted("jo@example.com")
            $0["context"] = #"{"ip":"81.2.69.142"}"#
        }

        _ = try await world.send(PostText(BatchText.of([event])))
        _ = try await world.send(PostText(Array("{jo@example.com 81.2.69.142".utf8)))

        #expect(!world.log.lines.contains { $0.contains("jo@") || $0.contains("81.2") })
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct PreflightTests {
    private let world: IngestWorld

    init() throws { world = try IngestWorld(brokers: IngestWorld.nowhere, isConfirmed: false) }

    private func preflight() async throws -> HTTPAnswer {
        let headers = [
            (name: "Origin", value: "https://shop.example.com"),
            (name: "Access-Control-Request-Method", value: "POST"),
            (name: "Access-Control-Request-Headers", value: "x-app-key,content-encoding,content-type"),
        ]
        return try await world.send("OPTIONS", headers: headers, body: "")
    }

    @Test func needsNoKey() async throws {
        #expect(try await preflight().status == 204)
    }

    @Test func letsAnyPageSend() async throws {
        let answer = try await preflight()

        #expect(answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("Access-Control-Allow-Methods") == "POST, OPTIONS")
    }

    @Test(arguments: ["x-app-key", "content-type", "content-encoding"]) func namesTheHeader(name: String)
        async throws
    {
        let allowed = try #require(try await preflight().header("Access-Control-Allow-Headers"))

        #expect(allowed.lowercased().split(separator: ", ").contains { $0 == name })
    }

    @Test func offersNoCredentials() async throws {
        #expect(try await preflight().header("Access-Control-Allow-Credentials") == nil)
    }

    @Test func isKeptByTheBrowser() async throws {
        #expect(try await preflight().header("Access-Control-Max-Age") == "86400")
    }

    @Test func elsewhereThereIsNone() async throws {
        #expect(try await world.send("OPTIONS", "/v1/event", headers: [], body: "").status == 404)
    }
}

/// The server's own refusals, in the service's words.
@Suite struct ServerProblemTests {
    static let table: [(HTTPProblem, Int, String)] = [
        (.badRequest, 400, "bad_request"), (.methodUnknown, 405, "method_not_allowed"),
        (.bodyTooLarge, 413, "payload_too_large"), (.unanswered, 500, "internal_error"),
        (.overloaded, 503, "storage_unavailable"), (.stopping, 503, "storage_unavailable"),
    ]

    private let head = HTTPRequestHead(method: "BREW", path: "/v1/events")

    @Test(arguments: table) func hasItsStatusAndCode(problem: HTTPProblem, status: Int, code: String) throws {
        let response = try IngestWorld(brokers: IngestWorld.nowhere).handler.refusal(of: problem, head: head)

        #expect(response.status == status)
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"\(code)\""))
    }

    @Test func everyProblemIsInTheTable() {
        #expect(Set(Self.table.map(\.0)) == Set(HTTPProblem.allCases))
    }

    @Test(arguments: HTTPProblem.allCases) func aHeadThatCouldNotBeReadIsNoObstacle(problem: HTTPProblem)
        throws
    {
        let response = try IngestWorld(brokers: IngestWorld.nowhere).handler.refusal(of: problem, head: nil)

        #expect(response.headers.contains { $0.name == "X-Request-Id" })
    }

    @Test(arguments: [HTTPProblem.overloaded, .stopping])
    func aClientOfABusyOrStoppingServerIsToldToComeBack(problem: HTTPProblem) throws {
        let response = try IngestWorld(brokers: IngestWorld.nowhere).handler.refusal(of: problem, head: head)

        #expect(response.headers.contains { $0.name == "Retry-After" })
    }
}
