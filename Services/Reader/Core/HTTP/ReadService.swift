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
    func answer(_ route: ReadRoute, _ request: HTTPRequest) async throws -> ReadAnswer {
        if route == .document { return OpenAPIDocument.answer }
        guard let key = APIKeys.bearer(request.headers["Authorization"]) else {
            throw ReadRefusal(.unauthenticated)
        }
        let hash = APIKeys.hash(key)
        let isCounted = try limiter?.charge(hash) ?? true
        let rest = try await pool.withConnection { connection in
            let access = try await connection.first(APIKeys.access(key)) { try APIAccess($0) }
            guard let access else {
                limiter?.forget(hash)
                throw ReadRefusal(.unauthenticated)
            }
            if !isCounted { try limiter?.admit(hash) }
            guard !access.scopes.isDisjoint(with: route.scopes) else {
                throw ReadRefusal(.insufficientScope)
            }
            return try await prepare(route, request, access, connection)
        }
        return try await rest()
    }

    /// For somebody who has been let in already.
    func answer(_ route: ReadRoute, _ request: HTTPRequest, as access: APIAccess) async throws -> ReadAnswer {
        let rest = try await pool.withConnection { try await prepare(route, request, access, $0) }
        return try await rest()
    }

    /// What is left to do once the connection has been given back: reports wait for each other, and must not keep it meanwhile.
    typealias Rest<Answer> = @Sendable () async throws -> Answer

    private func prepare(
        _ route: ReadRoute,
        _ request: HTTPRequest,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest<ReadAnswer> {
        var query = try QueryParameters(request.query)
        switch route {
        case .document: return { OpenAPIDocument.answer }
        case .apps:
            let includesArchived = try query.flag("include_archived")
            try query.finish()
            let statement = AppRecord.all(for: access, includingArchived: includesArchived)
            let apps = try await connection.rows(statement) { try AppRecord($0) }
            return { ReadAnswer(validity: .content) { AppsAPI.list(apps) } }
        case .app(let id):
            try query.finish()
            let app = try await app(id, access, connection)
            return { ReadAnswer(validity: .content) { AppsAPI.one(app) } }
        case .summary(let id): return try await report(SummaryAPI.self, id, request, access, connection)
        case .timeseries(let id): return try await report(TimeseriesAPI.self, id, request, access, connection)
        case .rollingActive(let id):
            return try await report(RollingActiveAPI.self, id, request, access, connection)
        case .breakdown(let id): return try await report(BreakdownAPI.self, id, request, access, connection)
        case .retention(let id): return try await report(RetentionAPI.self, id, request, access, connection)
        case .direct(let direct):
            let answer = try await answer(direct, request, query, access, connection)
            return { answer }
        case .portfolio: return try await preparePortfolio(request, query, access, connection)
        }
    }

    private func report<Report: AudienceAPI>(
        _ type: Report.Type,
        _ id: UUID128?,
        _ request: HTTPRequest,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest<ReadAnswer> {
        let app = try await app(id, access, connection)
        var parameters = try QueryParameters(request.query)
        let report = try Report(&parameters)
        let format = try AnswerFormat(&parameters, request.headers)
        try parameters.finish()
        let query = parameters
        let key = WorldKey(app: app.number, environment: report.parameters.environment)
        return {
            do {
                let snapshot = try await worlds.snapshot(key, report.request, pool)
                return report.answer(snapshot, format, to: request.head, query)
            } catch let damage as DamagedDay {
                throw UnreadableDay(app: key.app, environment: key.environment, damage: damage)
            }
        }
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
