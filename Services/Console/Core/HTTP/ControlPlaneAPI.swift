import Contracts
import ControlPlane
import HTTP
import Postgres

/// `/console/v1/…`: finds the operation, checks who asks, and runs it in one transaction.
struct ControlPlaneAPI: Sendable {
    static let operations = AppOperations.all + AccessOperations.all
    private static let attemptsMax = 3

    let pool: PostgresPool
    let sessions: SessionAPI
    let facts: ConsoleFacts

    /// - Parameter path: segments after `/console/v1`.
    func answer(_ request: HTTPRequest, _ path: [String]) async throws -> ConsoleAnswer {
        if let answer = try await withoutSession(request, path) { return answer }
        let session = try await session(of: request)
        if request.method != "GET", request.method != "HEAD" {
            try CrossSiteCheck.check(request, session)
        }
        if let answer = try await ofSession(request, path, session) { return answer }
        let known = Self.operations.filter { $0.isAt(path) }
        guard !known.isEmpty else { throw ConsoleRefusal(.notFound) }
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let operation = known.first(where: { $0.method == method }) else {
            throw ConsoleRefusal(.methodNotAllowed, allow: known.map(\.method).joined(separator: ", "))
        }
        let call = ConsoleCall(
            session: session,
            path: path,
            query: try Self.query(request),
            fields: try RequestFields(request.body)
        )
        return try await run(operation, call)
    }

    /// Lost races are run again; two people change things at once more often than one expects.
    private func run(_ operation: ConsoleOperation, _ call: ConsoleCall) async throws -> ConsoleAnswer {
        for attempt in 1... {
            do {
                return try await pool.withConnection { connection in
                    try await connection.transaction { try operation.run(call, $0) }
                }
            } catch let error as PostgresError where error.isRetryable && attempt < Self.attemptsMax {
                continue
            }
        }
        throw ConsoleRefusal(.storageUnavailable, retryAfterSeconds: 1)
    }

    private static func query(_ request: HTTPRequest) throws(ConsoleRefusal) -> HTTPQuery {
        do throws(HTTPDecodingError) {
            return try HTTPQuery(raw: request.query)
        } catch {
            throw ConsoleRefusal(.invalidRequest, field: "query")
        }
    }

    /// - Throws: `unauthenticated`.
    func session(of request: HTTPRequest) async throws -> ConsoleSession {
        guard let token = ConsoleSessions.token(request.headers["Cookie"]) else {
            throw ConsoleRefusal(.unauthenticated)
        }
        let session = try await pool.withConnection { connection in
            try await connection.perform { try ConsoleSessions.find(token, $0) }
        }
        guard let session else { throw ConsoleRefusal(.unauthenticated) }
        return session
    }

    private func withoutSession(_ request: HTTPRequest, _ path: [String]) async throws -> ConsoleAnswer? {
        switch (request.method, path) {
        case ("POST", ["session"]):
            try CrossSiteCheck.checkOrigin(request)
            return try await sessions.signIn(request)
        case ("POST", ["setup"]):
            try CrossSiteCheck.checkOrigin(request)
            return try await sessions.setUp(request)
        case ("GET", ["facts"]):
            return facts.answer
        default: return nil
        }
    }

    private func ofSession(_ request: HTTPRequest, _ path: [String], _ session: ConsoleSession) async throws
        -> ConsoleAnswer?
    {
        switch (request.method, path) {
        case ("GET", ["session"]): return SessionAPI.session(session.account, csrfToken: session.csrfToken)
        case ("DELETE", ["session"]): return try await sessions.signOut(session, everywhere: false)
        case ("DELETE", ["sessions"]): return try await sessions.signOut(session, everywhere: true)
        case ("PUT", ["password"]): return try await sessions.changePassword(request, session)
        case (_, ["session"]):
            throw ConsoleRefusal(.methodNotAllowed, allow: "GET, POST, DELETE")
        case (_, ["sessions"]): throw ConsoleRefusal(.methodNotAllowed, allow: "DELETE")
        case (_, ["password"]): throw ConsoleRefusal(.methodNotAllowed, allow: "PUT")
        case (_, ["setup"]): throw ConsoleRefusal(.methodNotAllowed, allow: "POST")
        default: return nil
        }
    }
}
