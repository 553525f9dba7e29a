import Contracts
import HTTP
import Postgres

/// Answers the operations of the Read API from Postgres.
struct ReadService: Sendable {
    let pool: PostgresPool
    let worlds: WorldCache

    /// - Throws: `ReadRefusal`, or `PostgresError` when the database cannot answer.
    func answer(_ route: ReadRoute, _ request: HTTPRequest) async throws -> [UInt8] {
        guard let key = APIKeys.bearer(request.headers["Authorization"]) else {
            throw ReadRefusal(.unauthenticated)
        }
        let rest = try await pool.withConnection { connection in
            let access = try await connection.first(APIKeys.access(key)) { try APIAccess($0) }
            guard let access else { throw ReadRefusal(.unauthenticated) }
            guard access.scopes.contains(.read) else { throw ReadRefusal(.insufficientScope) }
            return try await prepare(route, request, access, connection)
        }
        return try await rest()
    }

    /// What is left to do once the connection has been given back: reports wait for each other, and must not keep it meanwhile.
    private typealias Rest = @Sendable () async throws -> [UInt8]

    private func prepare(
        _ route: ReadRoute,
        _ request: HTTPRequest,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest {
        var query = try QueryParameters(request.query)
        switch route {
        case .apps:
            let includesArchived = try query.flag("include_archived")
            try query.finish()
            let statement = AppRecord.all(for: access, includingArchived: includesArchived)
            let apps = try await connection.rows(statement) { try AppRecord($0) }
            return { AppsAPI.list(apps) }
        case .app(let id):
            try query.finish()
            let app = try await app(id, access, connection)
            return { AppsAPI.one(app) }
        case .summary(let id): return try await report(SummaryAPI.self, id, query, access, connection)
        case .timeseries(let id): return try await report(TimeseriesAPI.self, id, query, access, connection)
        case .rollingActive(let id):
            return try await report(RollingActiveAPI.self, id, query, access, connection)
        case .breakdown(let id): return try await report(BreakdownAPI.self, id, query, access, connection)
        case .retention(let id): return try await report(RetentionAPI.self, id, query, access, connection)
        }
    }

    private func report<Report: AudienceAPI>(
        _ type: Report.Type,
        _ id: UUID128?,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest {
        let app = try await app(id, access, connection)
        var query = query
        let report = try Report(&query)
        try query.finish()
        let key = WorldKey(app: app.number, environment: report.parameters.environment)
        return { report.answer(try await worlds.snapshot(key, report.request, pool)) }
    }

    /// An app the key may not see is told apart from one that does not exist by nobody.
    private func app(_ id: UUID128?, _ access: APIAccess, _ connection: PostgresConnection) async throws
        -> AppRecord
    {
        guard let id, access.sees(id),
            let app = try await connection.first(AppRecord.one(id), decode: { try AppRecord($0) })
        else { throw ReadRefusal(.appNotFound) }
        return app
    }
}
