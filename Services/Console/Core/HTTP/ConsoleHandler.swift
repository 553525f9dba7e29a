import Contracts
import ControlPlane
import Crypto
public import HTTP
import ReaderCore
import Schema
import ServiceKit
import Wire

/// Serves the dashboard's files, the control plane, and the Read API to those who are signed in.
public final class ConsoleHandler: HTTPHandler {
    private let control: ControlPlaneAPI
    private let reports: ReadHandler
    private let pages: StaticPages
    private let logger: Logger
    private let requests: MetricFamily<Counter>
    private let clock: any WallClock
    private let requestIDs = IDGenerator()

    init(_ control: ControlPlaneAPI, reports: ReadHandler, pages: StaticPages, _ service: Service) {
        self.control = control
        self.reports = reports
        self.pages = pages
        logger = service.logger
        clock = service.wallClock
        requests = service.metrics.counterFamily(
            "foreground_console_requests_total",
            help: "Control plane requests answered, by outcome.",
            labels: [.closed("code", ["ok"] + ConsoleErrorCode.allCases.map(\.rawValue))]
        )
    }

    public func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if request.path.hasPrefix("/console/") || request.path.hasPrefix("/v1/") {
            Task { responder.respond(Self.secured(await api(request))) }
            return
        }
        responder.respond(Self.secured(page(request)))
    }

    public func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        let refusal: ConsoleRefusal
        switch problem {
        case .badRequest, .bodyTooLarge: refusal = ConsoleRefusal(.invalidRequest, field: "body")
        case .methodUnknown: refusal = ConsoleRefusal(.methodNotAllowed, allow: "GET")
        case .unanswered: refusal = ConsoleRefusal(.internalError)
        case .overloaded, .stopping: refusal = ConsoleRefusal(.storageUnavailable, retryAfterSeconds: 1)
        }
        return Self.secured(refuse(refusal, cause: problem.rawValue, head))
    }

    private func page(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return refuse(ConsoleRefusal(.methodNotAllowed, allow: "GET, HEAD"), cause: "", request.head)
        }
        guard let page = pages.find(request.path) else {
            return refuse(ConsoleRefusal(.notFound), cause: "", request.head)
        }
        return pages.response(page, to: request)
    }

    private func api(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            let segments = try segments(request)
            if segments.first == "v1" { return try await report(request) }
            guard segments.starts(with: ["console", "v1"]) else { throw ConsoleRefusal(.notFound) }
            let answer = try await control.answer(request, Array(segments.dropFirst(2)))
            requests.with("ok").increment()
            return HTTPResponse(
                status: answer.status,
                headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
                    + answer.headers,
                body: answer.body
            )
        } catch {
            return refuse(ConsoleRefusal(error), cause: "\(error)", request.head)
        }
    }

    private func segments(_ request: HTTPRequest) throws(ConsoleRefusal) -> [String] {
        do throws(HTTPDecodingError) {
            return try HTTPPath.segments(request.path)
        } catch {
            throw ConsoleRefusal(.invalidRequest, field: "path")
        }
    }

    /// The same module as the reader's, so that numbers are the same; the session stands for a key of every scope.
    private func report(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await control.session(of: request)
        if request.method != "GET", request.method != "HEAD" {
            try control.origins.check(request, session)
        }
        let email = session.account.email
        let access = APIAccess.owner { deletion, connection in
            // Who is to be forgotten is the last thing to write down here.
            try AuditLog.add(
                .deletionRequested,
                by: email,
                app: try AppCatalogue.find(deletion.appID, connection),
                details: deletion.id.description,
                connection
            )
        }
        return await reports.answer(request, as: access)
    }

    private func refuse(_ refusal: ConsoleRefusal, cause: String, _ head: HTTPRequestHead?) -> HTTPResponse {
        let requestID = requestIDs.ulid(nowMs: clock.nowMs()).description
        requests.with(refusal.code.rawValue).increment()
        if refusal.code.status >= 500 {
            logger.error(
                "request_failed",
                [.requestID: requestID, .status: refusal.code.status, .error: cause]
            )
        }
        let language = MessageLanguage(acceptLanguage: head?.headers["Accept-Language"])
        var headers: [(name: String, value: String)] = [
            ("Content-Type", "application/json"), ("X-Request-Id", requestID), ("Cache-Control", "no-store"),
        ]
        if let seconds = refusal.retryAfterSeconds { headers.append(("Retry-After", "\(seconds)")) }
        if let allow = refusal.allow { headers.append(("Allow", allow)) }
        return HTTPResponse(
            status: refusal.code.status,
            headers: headers,
            body: ErrorEnvelope.encode(
                code: refusal.code.rawValue,
                message: refusal.code.message.text(in: language),
                requestID: requestID,
                details: [("field", refusal.field), ("reason", refusal.reason)]
            )
        )
    }

    /// No scripts but our files, no frames, no sniffing, no referrer.
    private static func secured(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ]
        return response
    }
}
