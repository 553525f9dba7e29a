import Contracts
import HTTP
import Postgres
import ServiceKit

extension ReadService {
    /// The portfolio: its worlds are read after the connection is given back.
    func preparePortfolio(
        _ request: HTTPRequest,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest<ReadAnswer> {
        var query = query
        let portfolio = try PortfolioAPI(&query)
        let format = try AnswerFormat(&query, request.headers)
        try query.finish()
        let apps = try await portfolio.apps(access, connection)
        return {
            let items = try await portfolio.items(apps, worlds, nowMs: clock.nowMs(), pool)
            return ReadAnswer(
                format: format,
                validity: .moment,
                varies: ["Accept"],
                fileName: format == .csv ? "portfolio.csv" : nil
            ) { format == .csv ? PortfolioAPI.table(items) : PortfolioAPI.json(items) }
        }
    }

    /// The operations that are no report over closed days, done with the connection they were given.
    func answer(
        _ route: DirectRoute,
        _ request: HTTPRequest,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> ReadAnswer {
        var query = query
        switch route {
        case .realtime(let id):
            let app = try await app(id, access, connection)
            let realtime = try RealtimeAPI(&query)
            try query.finish()
            return .moment(try await realtime.answer(app, nowMs: clock.nowMs(), connection))
        case .profiles(let id):
            let app = try await app(id, access, connection)
            let search = try ProfileSearchAPI(&query)
            try query.finish()
            return .moment(try await search.answer(app, connection))
        case .profile(let id, let key):
            let app = try await app(id, access, connection)
            let profile = try ProfileAPI(app, key, &query)
            try query.finish()
            return .moment(try await profile.answer(connection))
        case .health(let id):
            let app = try await app(id, access, connection)
            let health = try HealthAPI(&query)
            try query.finish()
            return .moment(try await health.answer(app, nowMs: clock.nowMs(), connection))
        case .deletionRequests(let id):
            let app = try await app(id, access, connection)
            try query.finish()
            let subject = try DeletionAPI.subject(request.body)
            return .moment(
                try await DeletionAPI.create(app, subject, access, nowMs: clock.nowMs(), connection),
                status: 202
            )
        case .deletionRequest(let id, let requestID):
            let app = try await app(id, access, connection)
            try query.finish()
            return .moment(try await DeletionAPI.find(app, requestID, connection))
        }
    }
}
