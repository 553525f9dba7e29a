import Contracts
import JSON
import Postgres
import Schema

/// `GET /v1/apps/{app_id}/profiles`: the people an account id or an install id leads to, by exact match.
///
/// Parameters: exactly one of `user_id` and `install_id`, and `environment`. An install leads to the person its anonymous events belong to
/// (its first owner, or itself), then to the other accounts that used it. At most a hundred come, `total` counts all.
struct ProfileSearchAPI {
    static let itemsMax = 100

    private enum Wanted: Sendable {
        case user(String)
        case install(UUID128)
    }

    private struct Item: Sendable {
        var person: Person
        var lastSeenMs: Int64
    }

    private let wanted: Wanted
    private let environment: AppEnvironment

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        environment = try query.choice("environment", default: .production)
        switch (try query.value("user_id"), try query.value("install_id")) {
        case (let id?, nil):
            guard !id.isEmpty else { throw ReadRefusal(.invalidRequest, field: "user_id") }
            wanted = .user(id)
        case (nil, let text?):
            guard let id = UUID128(text) else { throw ReadRefusal(.invalidRequest, field: "install_id") }
            wanted = .install(id)
        case (nil, nil): throw ReadRefusal(.invalidRequest, field: "user_id")
        case (_?, _?): throw ReadRefusal(.invalidRequest, field: "install_id")
        }
    }

    func answer(_ app: AppRecord, _ connection: PostgresConnection) async throws -> [UInt8] {
        let (wanted, environment, number) = (wanted, environment, app.number)
        let (items, unlisted) = try await connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let (keys, total) = try Self.keys(wanted, number, environment, connection)
            let items = try keys.compactMap { key -> Item? in
                guard let person = try Person.find(key, number, environment, connection),
                    let ms = try BackwardWalk(person: person).lastSeenMs(connection)
                else { return nil }
                return Item(person: person, lastSeenMs: ms)
            }
            return (items, total - keys.count)
        }
        var writer = JSONWriter(reservingBytes: 64 + items.count * 300)
        writer.beginObject()
        writer.members("items", items) { item, writer in
            writer.member("person_key", item.person.key.description)
            writer.member("user_id", item.person.userID)
            if case .install(let id) = wanted { writer.member("install_id", id) }
            writer.member("first_seen", atMs: item.person.firstSeenMs)
            writer.member("last_seen", atMs: item.lastSeenMs)
            writer.member("installs", item.person.installs)
        }
        writer.member("total", items.count + unlisted)
        writer.endObject()
        return writer.bytes
    }

    private static func keys(
        _ wanted: Wanted,
        _ app: Int32,
        _ environment: AppEnvironment,
        _ connection: isolated PostgresConnection
    ) throws -> (keys: [PersonKey], total: Int) {
        guard case .install(let id) = wanted else {
            if case .user(let id) = wanted { return ([.user(id)], 1) }
            return ([], 0)
        }
        let install: SQL = """
            SELECT install_no, owner_no FROM installs
            WHERE app_no = \(app) AND environment = \(environment.code) AND install_id = \(id)::uuid LIMIT 1
            """
        let found = try connection.first(install) {
            (number: try $0.int32(0), owner: try $0.optionalInt32(1))
        }
        guard let found else { return ([], 0) }
        guard found.owner != nil else { return ([.install(id)], 1) }
        let users = try connection.rows(
            """
            SELECT u.user_id, count(*) OVER () FROM users u
            WHERE u.app_no = \(app) AND u.environment = \(environment.code) AND u.user_no = ANY (ARRAY(
                SELECT user_no FROM user_installs WHERE app_no = \(app) AND environment = \(environment.code)
                  AND install_no = \(found.number)))
            ORDER BY u.user_no <> \(found.owner)::integer, u.user_no LIMIT \(itemsMax)
            """
        ) { (try $0.string(0), try $0.int(1)) }
        return (users.map { .user($0.0) }, users.first?.1 ?? 0)
    }
}
