import Contracts
import HTTP
import Postgres
import ServiceKit

/// Answers the operations of the Read API from Postgres.
struct ReadService: Sendable {
    let pool: PostgresPool
    let worlds: WorldCache
    /// Nil for tests that ask more than a script may.
    var limiter: RequestLimiter?
    var clock: any WallClock = SystemWallClock()

    /// - Throws: `ReadRefusal`, or `PostgresError` when the database cannot answer.
    func answer(_ route: ReadRoute, _ request: HTTPRequest) async throws -> [UInt8] {
        guard let key = APIKeys.bearer(request.headers["Authorization"]) else {
            throw ReadRefusal(.unauthenticated)
        }
        let hash = APIKeys.hash(key)
        let isCounted = try limiter?.charge(hash) ?? true
        return try await pool.withConnection { connection in
            let access = try await connection.first(APIKeys.access(key)) { try APIAccess($0) }
            guard let access else {
                limiter?.forget(hash)
                throw ReadRefusal(.unauthenticated)
            }
            if !isCounted { try limiter?.admit(hash) }
            guard !access.scopes.isDisjoint(with: route.scopes) else {
                throw ReadRefusal(.insufficientScope)
            }
            return try await answer(route, request, access, connection)
        }
    }

    private func answer(
        _ route: ReadRoute,
        _ request: HTTPRequest,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> [UInt8] {
        var query = try QueryParameters(request.query)
        switch route {
        case .apps:
            let includesArchived = try query.flag("include_archived")
            try query.finish()
            let statement = AppRecord.all(for: access, includingArchived: includesArchived)
            return AppsAPI.list(try await connection.rows(statement) { try AppRecord($0) })
        case .app(let id):
            try query.finish()
            return AppsAPI.one(try await app(id, access, connection))
        case .summary(let id): return try await report(SummaryAPI.self, id, query, access, connection)
        case .timeseries(let id): return try await report(TimeseriesAPI.self, id, query, access, connection)
        case .rollingActive(let id):
            return try await report(RollingActiveAPI.self, id, query, access, connection)
        case .breakdown(let id): return try await report(BreakdownAPI.self, id, query, access, connection)
        case .retention(let id): return try await report(RetentionAPI.self, id, query, access, connection)
        case .direct(let route): return try await answer(route, request, query, access, connection)
        }
    }

    private func report<Report: AudienceAPI>(
        _ type: Report.Type,
        _ id: UUID128?,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> [UInt8] {
        let app = try await app(id, access, connection)
        var query = query
        let report = try Report(&query)
        try query.finish()
        let key = WorldKey(app: app.number, environment: report.parameters.environment)
        let snapshot = try await worlds.snapshot(key, report.request, connection)
        return report.answer(snapshot)
    }

    /// An app the key may not see is told apart from one that does not exist by nobody.
    func app(_ id: UUID128?, _ access: APIAccess, _ connection: PostgresConnection) async throws
        -> AppRecord
    {
        guard let id, access.sees(id),
            let app = try await connection.first(AppRecord.one(id), decode: { try AppRecord($0) })
        else { throw ReadRefusal(.appNotFound) }
        return app
    }
}
