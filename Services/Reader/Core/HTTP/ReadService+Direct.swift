import Contracts
import HTTP
import Postgres
import ServiceKit

extension ReadService {
    /// Answers the operations that are no report over one app's closed days.
    func prepare(
        _ route: DirectRoute,
        _ request: HTTPRequest,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> Rest<[UInt8]> {
        var query = query
        switch route {
        case .portfolio:
            let portfolio = try PortfolioAPI(&query)
            try query.finish()
            let apps = try await portfolio.apps(access, connection)
            return { try await portfolio.answer(apps, worlds, nowMs: clock.nowMs(), pool) }
        case .realtime(let id):
            let app = try await app(id, access, connection)
            let realtime = try RealtimeAPI(&query)
            try query.finish()
            let body = try await realtime.answer(app, nowMs: clock.nowMs(), connection)
            return { body }
        case .profiles(let id):
            let app = try await app(id, access, connection)
            let search = try ProfileSearchAPI(&query)
            try query.finish()
            let body = try await search.answer(app, connection)
            return { body }
        case .profile(let id, let key):
            let app = try await app(id, access, connection)
            let profile = try ProfileAPI(app, key, &query)
            try query.finish()
            let body = try await profile.answer(connection)
            return { body }
        case .health(let id):
            let app = try await app(id, access, connection)
            let health = try HealthAPI(&query)
            try query.finish()
            let body = try await health.answer(app, nowMs: clock.nowMs(), connection)
            return { body }
        case .deletionRequests(let id):
            let app = try await app(id, access, connection)
            try query.finish()
            let subject = try DeletionAPI.subject(request.body)
            let body = try await DeletionAPI.create(
                app,
                subject,
                access.source,
                nowMs: clock.nowMs(),
                connection
            )
            return { body }
        case .deletionRequest(let id, let requestID):
            let app = try await app(id, access, connection)
            try query.finish()
            let body = try await DeletionAPI.find(app, requestID, connection)
            return { body }
        }
    }
}
