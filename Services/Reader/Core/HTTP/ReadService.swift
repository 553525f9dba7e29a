import Calendar
import Contracts
import HTTP
import Postgres

/// Answers the operations of the Read API from Postgres.
struct ReadService: Sendable {
    let pool: PostgresPool

    /// - Throws: `ReadRefusal`, or `PostgresError` when the database cannot answer.
    func answer(_ route: ReadRoute, _ request: HTTPRequest) async throws -> [UInt8] {
        guard let key = APIKeys.bearer(request.headers["Authorization"]) else {
            throw ReadRefusal(.unauthenticated)
        }
        return try await pool.withConnection { connection in
            let access = try await connection.first(APIKeys.access(key)) { try APIAccess($0) }
            guard let access else { throw ReadRefusal(.unauthenticated) }
            guard access.scopes.contains(.read) else { throw ReadRefusal(.insufficientScope) }
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
        case .summary(let id):
            let app = try await app(id, access, connection)
            let report = try SummaryAPI(&query)
            let snapshot = try await load(app, report.parameters.environment, report.loadSpan, connection)
            return report.answer(snapshot)
        case .timeseries(let id):
            let app = try await app(id, access, connection)
            let report = try TimeseriesAPI(&query)
            let zone = try LocalZone(named: app.timezone)
            let snapshot = try await load(app, report.parameters.environment, report.loadSpan, connection)
            return report.answer(snapshot, zone: zone)
        }
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

    private func load(
        _ app: AppRecord,
        _ environment: AppEnvironment,
        _ span: DaySpan,
        _ connection: PostgresConnection
    ) async throws -> ReportSnapshot {
        try await connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return try ReportSnapshot.load(app, environment: environment, span: span, connection)
        }
    }
}
