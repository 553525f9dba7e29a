import Calendar
import Contracts
import Crypto
public import HTTP
public import Postgres
public import ServiceKit
import Wire

/// Serves the Read API: finds the operation, runs it off the server's threads, and turns every failure into an envelope.
public final class ReadHandler: HTTPHandler {
    private static let allowedMethods = "GET, HEAD, OPTIONS"
    private let service: ReadService
    private let logger: Logger
    private let requests: MetricFamily<Counter>
    private let clock: any WallClock
    private let requestIDs = IDGenerator()

    /// A handler with a cache of its own.
    public convenience init(pool: PostgresPool, cacheBytesMax: Int, _ service: Service) {
        self.init(ReadService(pool: pool, worlds: WorldCache(bytesMax: cacheBytesMax)), service)
    }

    init(_ reads: ReadService, _ service: Service) {
        self.service = reads
        logger = service.logger
        clock = service.wallClock
        requests = service.metrics.counterFamily(
            "foreground_reader_requests_total",
            help: "Requests answered, by outcome.",
            labels: [.closed("code", ["ok"] + ReadErrorCode.allCases.map(\.rawValue))]
        )
    }

    public func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let requestID = requestIDs.ulid(nowMs: clock.nowMs()).description
        if request.method == "OPTIONS" {
            let route = try? ReadRoute.find(request.path)
            let allowed = route?.allowedMethods ?? Self.allowedMethods
            responder.respond(
                route == .document
                    ? OpenAPIDocument.preflight(allowing: allowed)
                    : HTTPResponse(status: 204, headers: [("Allow", allowed)])
            )
            return
        }
        Task {
            let response = await answer(request, requestID: requestID)
            responder.respond(response)
        }
    }

    public func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        let requestID = requestIDs.ulid(nowMs: clock.nowMs()).description
        let refusal: ReadRefusal
        switch problem {
        case .badRequest, .bodyTooLarge:
            let code = RouteErrorCode.badRequest
            return envelope(
                status: problem.status,
                code: code.rawValue,
                message: code.message.text(in: language(of: head)),
                requestID: requestID
            )
        case .methodUnknown: refusal = ReadRefusal(.methodNotAllowed)
        case .unanswered: refusal = ReadRefusal(.internalError)
        case .overloaded, .stopping: refusal = ReadRefusal(.storageUnavailable, retryAfterSeconds: 1)
        }
        return refuse(refusal, cause: problem.rawValue, head, requestID: requestID)
    }

    private func language(of head: HTTPRequestHead?) -> MessageLanguage {
        MessageLanguage(acceptLanguage: head?.headers["Accept-Language"])
    }

    /// Answers for somebody another service has let in, with that service's own check of who they are.
    public func answer(_ request: HTTPRequest, as access: APIAccess) async -> HTTPResponse {
        await answer(request, requestID: requestIDs.ulid(nowMs: clock.nowMs()).description, as: access)
    }

    private func answer(_ request: HTTPRequest, requestID: String, as access: APIAccess? = nil) async
        -> HTTPResponse
    {
        do {
            guard let route = try ReadRoute.find(request.path) else { throw ReadRefusal(.notFound) }
            guard route.methods.contains(request.method) else {
                throw ReadRefusal(.methodNotAllowed, allow: route.allowedMethods)
            }
            let answer =
                if let access {
                    try await service.answer(route, request, as: access)
                } else {
                    try await service.answer(route, request)
                }
            let response = answer.response(to: request.head, requestID: requestID)
            requests.with("ok").increment()
            return response
        } catch {
            if let unreadable = error as? UnreadableDay { report(unreadable, requestID: requestID) }
            return refuse(Self.refusal(for: error), cause: "\(error)", request.head, requestID: requestID)
        }
    }

    /// Which day has to be built anew.
    private func report(_ unreadable: UnreadableDay, requestID: String) {
        logger.error(
            "day_damaged",
            [
                .requestID: requestID, .app: unreadable.app,
                .environment: unreadable.environment.rawValue, .day: unreadable.damage.day.description,
                .reason: "\(unreadable.damage.reason)",
            ]
        )
    }

    /// The one place that turns a failure into what the client sees.
    private static func refusal(for error: any Error) -> ReadRefusal {
        if let refusal = error as? ReadRefusal { return refusal }
        if let error = error as? PostgresError, error.isUnavailable || error.isRetryable {
            return ReadRefusal(.storageUnavailable, retryAfterSeconds: 5)
        }
        return ReadRefusal(.internalError)
    }

    private func refuse(
        _ refusal: ReadRefusal,
        cause: String,
        _ head: HTTPRequestHead?,
        requestID: String
    ) -> HTTPResponse {
        requests.with(refusal.code.rawValue).increment()
        if refusal.code.status >= 500 {
            logger.error(
                "request_failed",
                [.requestID: requestID, .status: refusal.code.status, .error: cause]
            )
        }
        var response = envelope(
            status: refusal.code.status,
            code: refusal.code.rawValue,
            message: refusal.code.message.text(in: language(of: head)),
            requestID: requestID,
            details: [("field", refusal.field)]
        )
        if let seconds = refusal.retryAfterSeconds { response.headers.append(("Retry-After", "\(seconds)")) }
        if refusal.code == .methodNotAllowed {
            response.headers.append(("Allow", refusal.allow ?? Self.allowedMethods))
        }
        if refusal.code == .unauthenticated { response.headers.append(("WWW-Authenticate", "Bearer")) }
        return response
    }

    private func envelope(
        status: Int,
        code: String,
        message: String,
        requestID: String,
        details: [(name: String, value: String?)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("X-Request-Id", requestID)],
            body: ErrorEnvelope.encode(code: code, message: message, requestID: requestID, details: details)
        )
    }
}
