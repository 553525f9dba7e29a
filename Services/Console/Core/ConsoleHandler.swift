import Contracts
public import HTTP
import Postgres

/// Serves the console's page.
public final class ConsoleHandler: HTTPHandler {
    private static let allowedMethods = "GET, HEAD, OPTIONS"
    private let pool: PostgresPool

    init(pool: PostgresPool) {
        self.pool = pool
    }

    public func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        guard ["GET", "HEAD", "OPTIONS"].contains(request.method) else {
            responder.respond(text(405, "Method not allowed\n", [("Allow", Self.allowedMethods)]))
            return
        }
        switch (request.method, request.path) {
        case ("OPTIONS", _):
            responder.respond(HTTPResponse(status: 204, headers: [("Allow", Self.allowedMethods)]))
        case (_, "/style.css"):
            responder.respond(page(StatusPage.css, type: "text/css; charset=utf-8"))
        case (_, "/"):
            Task {
                let facts = await facts()
                responder.respond(page(StatusPage.html(facts), type: "text/html; charset=utf-8"))
            }
        default:
            responder.respond(text(404, "Not found\n"))
        }
    }

    public func refusal(of problem: HTTPProblem, head: HTTPRequestHead?) -> HTTPResponse {
        text(problem.status, "The request cannot be served\n")
    }

    private func facts() async -> StatusPage.Facts {
        let counts = try? await pool.withConnection { connection in
            try await connection.first(
                """
                SELECT (SELECT count(*) FROM apps),
                       (SELECT count(*) FROM (SELECT DISTINCT app_no, environment, day FROM dirty_days) d) LIMIT 1
                """
            ) { (apps: try $0.int(0), days: try $0.int(1)) }
        }
        guard let counts else {
            return StatusPage.Facts(isPostgresReady: false, waitingDays: nil, appCount: nil)
        }
        return StatusPage.Facts(isPostgresReady: true, waitingDays: counts.days, appCount: counts.apps)
    }

    private func page(_ content: String, type: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
                ),
            ],
            body: Array(content.utf8)
        )
    }

    private func text(
        _ status: Int,
        _ content: String,
        _ headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [("Content-Type", "text/plain; charset=utf-8")] + headers,
            body: Array(content.utf8)
        )
    }
}
