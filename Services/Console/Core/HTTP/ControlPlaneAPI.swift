import ControlPlane
import HTTP
import Postgres

/// `/console/v1/…`: finds the operation, checks who asks, and runs it.
struct ControlPlaneAPI: Sendable {
    static let operations =
        SessionOperations.all + AppOperations.all + AppChangeOperations.all + AccessOperations.all
    private static let attemptsMax = 3

    let pool: PostgresPool
    let sessions: SessionAPI
    let facts: ConsoleFacts
    let origins: CrossSiteCheck

    /// - Parameter path: segments after `/console/v1`.
    func answer(_ request: HTTPRequest, _ path: [String]) async throws -> ConsoleAnswer {
        let known = Self.operations.compactMap { operation in
            operation.match(path).map { (operation: operation, values: $0) }
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        let found = known.first { $0.operation.method == method }
        if let found, case .open(let run) = found.operation.work {
            if method != "GET" { try origins.check(request) }
            return try await run(try Self.call(found.operation, found.values, request), self)
        }
        // Nobody else learns what there is.
        let session = try await session(of: request)
        if method != "GET" { try origins.check(request, session) }
        guard !known.isEmpty else { throw ConsoleRefusal(.notFound) }
        guard let found else {
            throw ConsoleRefusal(.methodNotAllowed, allow: Self.allowed(known.map(\.operation.method)))
        }
        let call = try Self.call(found.operation, found.values, request)
        switch found.operation.work {
        case .open(let run): return try await run(call, self)
        case .ofSession(let run): return try await run(call, session, self)
        case .transaction(let run): return try await change(call, session, run)
        }
    }

    private static func allowed(_ methods: [String]) -> String {
        methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }.joined(separator: ", ")
    }

    private static func call(
        _ operation: ConsoleOperation,
        _ values: [String: String],
        _ request: HTTPRequest
    ) throws(ConsoleRefusal) -> ConsoleCall {
        let takesBody = operation.method != "GET"
        return ConsoleCall(
            request: request,
            path: values,
            query: try query(request, of: operation),
            fields: try takesBody ? RequestFields(request) : RequestFields()
        )
    }

    private static func query(_ request: HTTPRequest, of operation: ConsoleOperation) throws(ConsoleRefusal)
        -> [String: String]
    {
        let pairs: [(name: String, value: String)]
        do throws(HTTPDecodingError) {
            pairs = try HTTPQuery(raw: request.query).pairs
        } catch {
            throw ConsoleRefusal(.invalidRequest, field: "query")
        }
        var values: [String: String] = [:]
        for pair in pairs {
            guard operation.query.contains(pair.name) else {
                throw ConsoleRefusal(.invalidRequest, field: pair.name, reason: "is not known here")
            }
            guard values.updateValue(pair.value, forKey: pair.name) == nil else {
                throw ConsoleRefusal(.invalidRequest, field: pair.name, reason: "is given twice")
            }
        }
        return values
    }

    /// Lost races are run again; two people change things at once more often than one expects.
    private func change(
        _ call: ConsoleCall,
        _ session: ConsoleSession,
        _ run: @escaping ConsoleOperation.Change
    ) async throws -> ConsoleAnswer {
        for attempt in 1... {
            do {
                return try await pool.withConnection { connection in
                    try await connection.transaction { try run(call, session.account, $0) }
                }
            } catch let error as PostgresError where error.isRetryable && attempt < Self.attemptsMax {
                continue
            }
        }
        throw ConsoleRefusal(.storageUnavailable, retryAfterSeconds: 1)
    }

    /// - Throws: `unauthenticated`.
    func session(of request: HTTPRequest) async throws -> ConsoleSession {
        guard let token = sessions.cookie.token(request.headers.values("Cookie")) else {
            throw ConsoleRefusal(.unauthenticated)
        }
        let store = sessions.store
        let session = try await pool.withConnection { connection in
            try await connection.perform { try store.find(token, $0) }
        }
        guard let session else { throw ConsoleRefusal(.unauthenticated) }
        return session
    }
}
