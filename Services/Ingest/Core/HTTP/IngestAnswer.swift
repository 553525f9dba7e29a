import Calendar
import Contracts
import HTTP
import JSON
import Wire

/// Builds the two forms of answer: the result of a batch that was processed, and the error envelope.
enum IngestAnswer {
    private static let json = (name: "Content-Type", value: "application/json")

    static func result(
        _ verdict: BatchVerdict,
        serverTimeMs: Int64,
        requestID: String,
        language: MessageLanguage
    ) -> HTTPResponse {
        var writer = JSONWriter(reservingBytes: 128 + 160 * (verdict.rejected.count + verdict.warnings.count))
        writer.beginObject()
        writer.key("accepted")
        writer.int(verdict.acceptedCount)
        writer.key("rejected")
        writer.beginArray()
        for rejection in verdict.rejected { write(rejection, language, to: &writer) }
        writer.endArray()
        writer.key("warnings")
        writer.beginArray()
        for warning in verdict.warnings { write(warning, language, to: &writer) }
        writer.endArray()
        writer.key("server_time")
        writer.string(RFC3339.format(ms: serverTimeMs))
        writer.endObject()
        return HTTPResponse(status: 200, headers: [json, ("X-Request-Id", requestID)], body: writer.bytes)
    }

    private static func write(
        _ rejection: RejectedEvent,
        _ language: MessageLanguage,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("index")
        writer.int(rejection.index)
        writer.key("insert_id")
        if let id = rejection.insertID { writer.uuid(id) } else { writer.null() }
        writer.key("code")
        writer.string(rejection.code.rawValue)
        writer.key("field")
        writer.string(rejection.field)
        writer.key("message")
        writer.string(rejection.code.message.text(in: language))
        writer.key("retryable")
        writer.bool(rejection.code.isRetryable)
        writer.endObject()
    }

    private static func write(
        _ warning: EventWarning,
        _ language: MessageLanguage,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("index")
        writer.int(warning.index)
        writer.key("insert_id")
        writer.uuid(warning.insertID)
        writer.key("code")
        writer.string(warning.code.rawValue)
        writer.key("message")
        writer.string(warning.code.message.text(in: language))
        writer.endObject()
    }

    static func refusal(_ refusal: BatchRefusal, requestID: String, language: MessageLanguage) -> HTTPResponse
    {
        var response = error(
            status: refusal.code.status,
            code: refusal.code.rawValue,
            message: refusal.code.message.text(in: language),
            requestID: requestID,
            details: [("field", refusal.field), ("issue", refusal.issue?.rawValue)]
        )
        if let seconds = refusal.retryAfterSeconds { response.headers.append(("Retry-After", "\(seconds)")) }
        return response
    }

    static func error(
        status: Int,
        code: String,
        message: String,
        requestID: String,
        details: [(name: String, value: String?)] = []
    ) -> HTTPResponse {
        let body = ErrorEnvelope.encode(code: code, message: message, requestID: requestID, details: details)
        return HTTPResponse(status: status, headers: [json, ("X-Request-Id", requestID)], body: body)
    }
}
