import Contracts
import JSON
import Postgres

/// `GET /v1/apps/{app_id}/profiles/{person_key}`: first and last seen, installs, devices and sessions of one person.
///
/// Parameters: `environment`, `sessions_limit` (1 to 500, 50 unless given) and `before`, the `next_before` of the page before. Devices are
/// those of the listed installs and of the newest 500 sessions. `i:` of an install that belongs to an account names nobody: its
/// history is the account's, so it is `not_found`, as are unknown and erased people.
struct ProfileAPI {
    static let sessionsMax = 500
    /// How many of the newest sessions devices are gathered from.
    private static let devicesFrom = 500

    private let app: AppRecord
    private let key: PersonKey?
    private let environment: AppEnvironment
    private let limit: Int
    private let before: SessionPosition?

    init(_ app: AppRecord, _ text: String, _ query: inout QueryParameters) throws(ReadRefusal) {
        self.app = app
        key = PersonKey(text)
        environment = try query.choice("environment", default: .production)
        limit = try query.integer("sessions_limit", default: 50, in: 1...Self.sessionsMax)
        guard let cursor = try query.value("before") else {
            before = nil
            return
        }
        guard let key, let position = SessionCursor(app: app.id, environment, key).decode(cursor) else {
            throw ReadRefusal(.invalidRequest, field: "before")
        }
        before = position
    }

    private struct Found: Sendable {
        var person: Person
        var lastSeenMs: Int64
        var installs: [ProfileInstall]
        var devices: [ProfileDevice]
        var sessions: [ProfileSession]
        var next: SessionPosition?
    }

    func answer(_ connection: PostgresConnection) async throws -> [UInt8] {
        guard let key else { throw ReadRefusal(.notFound, field: "person_key") }
        let (app, environment, limit, before) = (app, environment, limit, before)
        let found = try await connection.transaction { connection -> Found? in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            guard let person = try Person.find(key, app.number, environment, connection) else { return nil }
            return try Self.read(person, limit, before, connection)
        }
        guard let found else { throw ReadRefusal(.notFound, field: "person_key") }
        return json(found)
    }

    private static func read(
        _ person: Person,
        _ limit: Int,
        _ before: SessionPosition?,
        _ connection: isolated PostgresConnection
    ) throws -> Found? {
        let feed = SessionFeed(person)
        guard let lastSeenMs = try feed.walk.lastSeenMs(connection) else { return nil }
        let installs = try connection.rows(ProfileInstall.statement(person)) { try ProfileInstall($0) }
        let newest = try feed.page(devicesFrom, before: nil, connection)
        let page =
            before == nil && limit == devicesFrom ? newest : try feed.page(limit, before: before, connection)
        return Found(
            person: person,
            lastSeenMs: lastSeenMs,
            installs: installs,
            devices: ProfileDevice.distinct(installs, newest.sessions),
            sessions: page.sessions,
            next: page.hasMore ? page.sessions.last?.position : nil
        )
    }

    private func json(_ found: Found) -> [UInt8] {
        let (person, cursor) = (found.person, SessionCursor(app: app.id, environment, found.person.key))
        var writer = JSONWriter(
            reservingBytes: 1_024 + 400 * (found.installs.count + found.devices.count + found.sessions.count)
        )
        writer.beginObject()
        writer.member("person_key", person.key.description)
        writer.member("user_id", person.userID)
        writer.member("first_seen", atMs: person.firstSeenMs)
        writer.member("last_seen", atMs: found.lastSeenMs)
        writer.members("installs", found.installs) { $0.write(to: &$1) }
        writer.member("installs_total", person.installs)
        writer.members("devices", found.devices) { $0.write(to: &$1) }
        writer.members("sessions", found.sessions) { $0.write(to: &$1) }
        writer.member("next_before", found.next.map(cursor.encode))
        writer.endObject()
        return writer.bytes
    }
}
