import Contracts
import HTTP
import Postgres
import ServiceKit

extension ReadService {
    /// Answers the operations that are no report over one app's closed days.
    func answer(
        _ route: DirectRoute,
        _ request: HTTPRequest,
        _ query: QueryParameters,
        _ access: APIAccess,
        _ connection: PostgresConnection
    ) async throws -> [UInt8] {
        var query = query
        switch route {
        case .portfolio:
            let portfolio = try PortfolioAPI(&query)
            try query.finish()
            return try await portfolio.answer(access, worlds, nowMs: clock.nowMs(), connection)
        case .realtime(let id):
            let app = try await app(id, access, connection)
            let realtime = try RealtimeAPI(&query)
            try query.finish()
            return try await realtime.answer(app, nowMs: clock.nowMs(), connection)
        case .profiles(let id):
            let app = try await app(id, access, connection)
            let search = try ProfileSearchAPI(&query)
            try query.finish()
            return try await search.answer(app, connection)
        case .profile(let id, let key):
            let app = try await app(id, access, connection)
            let profile = try ProfileAPI(app, key, &query)
            try query.finish()
            return try await profile.answer(connection)
        case .health(let id):
            let app = try await app(id, access, connection)
            let health = try HealthAPI(&query)
            try query.finish()
            return try await health.answer(app, nowMs: clock.nowMs(), connection)
        case .deletionRequests(let id):
            let app = try await app(id, access, connection)
            try query.finish()
            let subject = try DeletionAPI.subject(request.body)
            return try await DeletionAPI.create(app, subject, access.source, nowMs: clock.nowMs(), connection)
        case .deletionRequest(let id, let requestID):
            let app = try await app(id, access, connection)
            try query.finish()
            return try await DeletionAPI.find(app, requestID, connection)
        }
    }
}
