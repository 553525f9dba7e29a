import HTTPClient
import TestSupport
import Testing

/// Against a real HTTPS server on this machine.
@Suite(.enabled(if: HTTPSStub.isThere, "set TEST_PYTHON, install openssl"), .timeLimit(.minutes(2)))
struct PosterTests {
    func post(
        _ path: String,
        _ stub: HTTPSStub,
        host: String = "localhost",
        caFile: String?
    ) async throws -> PostAnswer {
        try await HTTPSPoster(totalMsMax: 20_000, caFile: caFile).post(
            Array(#"{"a":"ü"}"#.utf8),
            to: "https://\(host):\(stub.port)\(path)",
            headers: ["Content-Type: application/json"]
        )
    }

    @Test func bodyHeadersAndAnswerArrive() async throws {
        try await HTTPSStub.run { stub in
            let answer = try await post("/x", stub, caFile: stub.caFile)
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"ok":true}"#)
            #expect(
                stub.requests == [
                    #"{"path": "/x", "type": "application/json", "body": "{\"a\":\"\u00fc\"}"}"#
                ]
            )
        }
    }

    @Test func anUntrustedCertificateIsRefused() async throws {
        try await HTTPSStub.run { stub in
            let failure = await #expect(throws: PostFailure.self) { try await post("/x", stub, caFile: nil) }
            // CURLE_PEER_FAILED_VERIFICATION
            #expect(failure?.code == 60)
            #expect(stub.requests.isEmpty)
        }
    }

    @Test func aCertificateForAnotherNameIsRefused() async throws {
        try await HTTPSStub.run { stub in
            let failure = await #expect(throws: PostFailure.self) {
                try await post("/x", stub, host: "127.0.0.1", caFile: stub.caFile)
            }
            #expect(failure?.code == 60)
        }
    }

    @Test func plainHTTPIsRefused() async throws {
        let failure = await #expect(throws: PostFailure.self) {
            try await HTTPSPoster().post([], to: "http://127.0.0.1:1/", headers: [])
        }
        // CURLE_UNSUPPORTED_PROTOCOL
        #expect(failure?.code == 1)
    }

    @Test func aStatusIsAnAnswer() async throws {
        try await HTTPSStub.run { stub in
            let answer = try await post("/status/429", stub, caFile: stub.caFile)
            #expect(answer.status == 429)
        }
    }

    @Test func redirectsAreNotFollowed() async throws {
        try await HTTPSStub.run { stub in
            let answer = try await post("/redirect", stub, caFile: stub.caFile)
            #expect(answer.status == 302)
            #expect(stub.requests.count == 1)
        }
    }

    @Test func aLongAnswerIsCut() async throws {
        try await HTTPSStub.run { stub in
            let answer = try await post("/big", stub, caFile: stub.caFile)
            #expect(answer.body.count == HTTPSPoster.answerBytesMax)
        }
    }

    @Test func aServerThatNeverAnswersIsGivenUp() async throws {
        try await HTTPSStub.run { stub in
            let failure = await #expect(throws: PostFailure.self) {
                try await HTTPSPoster(totalMsMax: 300, caFile: stub.caFile).post(
                    [],
                    to: stub.url + "/slow",
                    headers: []
                )
            }
            // CURLE_OPERATION_TIMEDOUT
            #expect(failure?.code == 28)
        }
    }

    @Test func aFailureDoesNotShowTheAddress() async throws {
        let failure = await #expect(throws: PostFailure.self) {
            try await HTTPSPoster().post([], to: "https://127.0.0.1:1/botsecret/sendMessage", headers: [])
        }
        #expect(failure?.description.contains("secret") == false)
        #expect(failure?.description.isEmpty == false)
    }
}
