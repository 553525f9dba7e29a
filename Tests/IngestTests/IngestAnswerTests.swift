import Contracts
import HTTP
import Testing

@testable import IngestCore

/// The answers as clients have them: these texts are a contract but for `message`.
@Suite struct IngestAnswerTests {
    private static let id = UUID128(high: 0x0199_D6C1_0000_7000, low: 0x8000_0000_0000_0005)
    private static let requestID = "01JA8Z3K7Q2M9V4T6R1X5N8C0C"

    private static var verdict: BatchVerdict {
        var verdict = BatchVerdict()
        verdict.duplicates = 2
        verdict.rejected = [
            RejectedEvent(index: 1, insertID: id, code: .userIDLooksLikePII, field: "events[1].user_id"),
            RejectedEvent(index: 4, insertID: nil, code: .installRateLimited, field: "events[4]"),
        ]
        verdict.warnings = [EventWarning(index: 0, insertID: id, code: .timestampInFutureClamped)]
        return verdict
    }

    private func result(_ verdict: BatchVerdict, _ language: MessageLanguage = .english) -> HTTPResponse {
        IngestAnswer.result(
            verdict,
            serverTimeMs: 1_791_969_302_318,
            requestID: Self.requestID,
            language: language
        )
    }

    private func text(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    private func header(_ name: String, _ response: HTTPResponse) -> [String] {
        response.headers.filter { $0.name == name }.map(\.value)
    }

    @Test func nothingToSay() {
        #expect(
            text(result(BatchVerdict())) == """
                {"accepted":0,"rejected":[],"warnings":[],"server_time":"2026-10-14T09:15:02.318Z"}
                """
        )
    }

    @Test func rejectionsAndWarningsInEnglish() {
        #expect(
            text(result(Self.verdict)) == """
                {"accepted":2,"rejected":[{"index":1,"insert_id":"0199d6c1-0000-7000-8000-000000000005",\
                "code":"user_id_looks_like_pii","field":"events[1].user_id","message":"user_id resembles an e-mail \
                address or a phone number; send an opaque account id.","retryable":false},{"index":4,"insert_id":null,\
                "code":"install_rate_limited","field":"events[4]","message":"This installation sends too many events; \
                keep the event and send it in a minute.","retryable":true}],"warnings":[{"index":0,\
                "insert_id":"0199d6c1-0000-7000-8000-000000000005","code":"timestamp_in_future_clamped",\
                "message":"The event lay more than 10 minutes ahead; the time of receipt was used."}],\
                "server_time":"2026-10-14T09:15:02.318Z"}
                """
        )
    }

    @Test func rejectionsAndWarningsInRussian() {
        #expect(
            text(result(Self.verdict, .russian)) == """
                {"accepted":2,"rejected":[{"index":1,"insert_id":"0199d6c1-0000-7000-8000-000000000005",\
                "code":"user_id_looks_like_pii","field":"events[1].user_id","message":"user_id напоминает почту или \
                телефон; нужен непрозрачный идентификатор аккаунта.","retryable":false},{"index":4,"insert_id":null,\
                "code":"install_rate_limited","field":"events[4]","message":"Слишком много событий от этой установки; \
                отправьте событие через минуту.","retryable":true}],"warnings":[{"index":0,\
                "insert_id":"0199d6c1-0000-7000-8000-000000000005","code":"timestamp_in_future_clamped",\
                "message":"Событие опережало время приёма больше чем на 10 минут; взято время приёма."}],\
                "server_time":"2026-10-14T09:15:02.318Z"}
                """
        )
    }

    @Test func aResultIs200AndJSON() {
        let response = result(Self.verdict)

        #expect(response.status == 200)
        #expect(header("Content-Type", response) == ["application/json"])
        #expect(header("X-Request-Id", response) == [Self.requestID])
    }

    private func refusal(_ refusal: BatchRefusal, _ language: MessageLanguage = .english) -> HTTPResponse {
        IngestAnswer.refusal(refusal, requestID: Self.requestID, language: language)
    }

    @Test func aRefusalInEnglish() {
        #expect(
            text(refusal(BatchRefusal(.invalidBatch, field: "events", issue: .maxItems))) == """
                {"error":{"code":"invalid_batch","message":"The batch does not have the required form.",\
                "request_id":"01JA8Z3K7Q2M9V4T6R1X5N8C0C","details":{"field":"events","issue":"max_items"}}}
                """
        )
    }

    @Test func aRefusalInRussian() {
        #expect(
            text(refusal(BatchRefusal(.invalidBatch, field: "events", issue: .maxItems), .russian)) == """
                {"error":{"code":"invalid_batch","message":"Пакет не соответствует формату.",\
                "request_id":"01JA8Z3K7Q2M9V4T6R1X5N8C0C","details":{"field":"events","issue":"max_items"}}}
                """
        )
    }

    @Test func detailsWithoutAFieldHaveTheIssueAlone() {
        #expect(
            text(refusal(BatchRefusal(.invalidBatch, issue: .notAnObject))) == """
                {"error":{"code":"invalid_batch","message":"The batch does not have the required form.",\
                "request_id":"01JA8Z3K7Q2M9V4T6R1X5N8C0C","details":{"issue":"not_an_object"}}}
                """
        )
    }

    @Test func withoutDetailsThereAreNone() {
        #expect(
            text(refusal(BatchRefusal(.invalidJSON))) == """
                {"error":{"code":"invalid_json","message":"The body is not a JSON document.",\
                "request_id":"01JA8Z3K7Q2M9V4T6R1X5N8C0C"}}
                """
        )
    }

    @Test(arguments: IngestErrorCode.allCases) func everyRefusalHasItsStatus(code: IngestErrorCode) {
        #expect(refusal(BatchRefusal(code)).status == code.status)
    }

    @Test(arguments: IngestErrorCode.allCases) func everyRefusalNamesItsRequest(code: IngestErrorCode) {
        #expect(header("X-Request-Id", refusal(BatchRefusal(code))) == [Self.requestID])
    }

    @Test func aPauseIsAHeader() {
        let response = refusal(BatchRefusal(.storageUnavailable, retryAfterSeconds: 5))

        #expect(header("Retry-After", response) == ["5"])
    }

    @Test func withoutAPauseThereIsNoHeader() {
        #expect(header("Retry-After", refusal(BatchRefusal(.invalidJSON))).isEmpty)
    }
}
