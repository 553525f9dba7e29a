import Contracts
import Foundation
import HTTP
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// What the server refuses by itself has the shape and the catalogue of everything else.
@Suite struct RefusalWordingTests {
    private let handler = ReadHandler(
        ReadService(
            pool: PostgresPool(
                url: unreachableDatabaseURL,
                applicationName: "reader-tests",
                connectionsMax: 1
            ),
            worlds: WorldCache(bytesMax: 1)
        ),
        Service(name: "reader", logger: LogCapture().logger())
    )

    private func refusal(of problem: HTTPProblem, language: String? = nil) throws -> (
        HTTPResponse, ErrorAnswer
    ) {
        let headers = HTTPHeaders(language.map { [("Accept-Language", $0)] } ?? [])
        let head = HTTPRequestHead(method: "GET", path: "/v1/apps", headers: headers)
        let response = handler.refusal(of: problem, head: head)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return (response, try decoder.decode(ErrorAnswer.self, from: Data(response.body)))
    }

    private func header(_ name: String, _ response: HTTPResponse) -> String? {
        response.headers.first { $0.name == name }?.value
    }

    @Test(arguments: [
        (HTTPProblem.badRequest, 400, "bad_request"), (.bodyTooLarge, 413, "bad_request"),
        (.methodUnknown, 405, "method_not_allowed"), (.unanswered, 500, "internal_error"),
        (.stopping, 503, "storage_unavailable"),
    ])
    func codeFitsTheStatus(problem: HTTPProblem, status: Int, code: String) throws {
        let (response, answer) = try refusal(of: problem)
        #expect(response.status == status)
        #expect(answer.error.code == code)
        #expect(answer.error.requestId == header("X-Request-Id", response))
    }

    @Test func stoppingServerSaysWhenToComeBack() throws {
        #expect(header("Retry-After", try refusal(of: .stopping).0) == "1")
    }

    @Test func unknownMethodIsToldTheKnownOnes() throws {
        #expect(header("Allow", try refusal(of: .methodUnknown).0) == "GET, HEAD, OPTIONS")
    }

    @Test func errorOfOursIsNotBlamedOnTheClient() throws {
        #expect(try refusal(of: .unanswered).1.error.message == ReadErrorCode.internalError.message.en)
        #expect(
            try refusal(of: .unanswered, language: "ru").1.error.message
                == ReadErrorCode.internalError.message.ru
        )
    }

    @Test func headThatCannotBeReadIsRefusedToo() {
        #expect(handler.refusal(of: .badRequest, head: nil).status == 400)
    }

    @Test func catalogueOfProblemsIsComplete() {
        #expect(HTTPProblem.allCases.count == 6)
    }
}
