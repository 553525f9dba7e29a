import Contracts
import Postgres
import Schema

/// Somebody as the tables know them, in one environment of an app.
struct Person: Sendable {
    enum Identity: Sendable {
        /// The number in `users`.
        case user(Int32)
        /// The number in `installs`, of one on which nobody ever signed in.
        case install(Int32)
    }

    let app: Int32
    let environment: AppEnvironment
    let identity: Identity
    let key: PersonKey
    /// Of the earliest event, also one from before the first sign-in.
    let firstSeenMs: Int64
    /// How many installs they were seen on.
    let installs: Int
    /// Of the latest UTC day any of their installs was used, by whomever; nothing of theirs lies after it.
    let lastDayEndMs: Int64

    var userID: String? { if case .user(let id) = key { id } else { nil } }

    /// The installs the person was seen on, as `i`.
    ///
    /// By an array of numbers, so that it is an index scan however little the planner knows: joined, thousands of installs have been
    /// matched one with another.
    static func installs(_ app: Int32, _ environment: AppEnvironment, _ identity: Identity) -> SQL {
        let numbers: SQL =
            switch identity {
            case .user(let number):
                """
                ANY (ARRAY(SELECT install_no FROM user_installs WHERE app_no = \(app)
                     AND environment = \(environment.code) AND user_no = \(number)))
                """
            case .install(let number): "\(number)"
            }
        return """
            SELECT i.install_no, i.install_id, i.owner_no, i.first_at, i.last_day, i.anonymous_first_at
            FROM installs i
            WHERE i.app_no = \(app) AND i.environment = \(environment.code) AND i.install_no = \(numbers)
            """
    }

    var installsSelection: SQL { Self.installs(app, environment, identity) }

    /// Whether an event `e` on an install `i` is the person's: their own, or an anonymous one of an install they own first.
    var ownsEvent: SQL {
        switch identity {
        case .user(let number):
            "(e.user_no = \(number) OR (e.user_no IS NULL AND i.owner_no = \(number)))"
        case .install: "e.user_no IS NULL"
        }
    }

    /// The events of an install `i`.
    var eventsOfInstall: SQL {
        "e.app_no = \(app) AND e.environment = \(environment.code) AND e.install_no = i.install_no"
    }
}

extension Person {
    /// Nil for a key that names nobody: unknown, erased, or an install that belongs to an account.
    static func find(
        _ key: PersonKey,
        _ app: Int32,
        _ environment: AppEnvironment,
        _ connection: isolated PostgresConnection
    ) throws -> Person? {
        switch key {
        case .user(let id):
            let statement: SQL = """
                SELECT user_no FROM users
                WHERE app_no = \(app) AND environment = \(environment.code) AND user_id = \(id) LIMIT 1
                """
            guard let number = try connection.first(statement, decode: { try $0.int32(0) }) else {
                return nil
            }
            return try read(.user(number), key, app, environment, connection)
        case .install(let id):
            let statement: SQL = """
                SELECT install_no FROM installs
                WHERE app_no = \(app) AND environment = \(environment.code) AND install_id = \(id)::uuid
                  AND owner_no IS NULL LIMIT 1
                """
            guard let number = try connection.first(statement, decode: { try $0.int32(0) }) else {
                return nil
            }
            return try read(.install(number), key, app, environment, connection)
        }
    }

    static func read(
        _ identity: Identity,
        _ key: PersonKey,
        _ app: Int32,
        _ environment: AppEnvironment,
        _ connection: isolated PostgresConnection
    ) throws -> Person? {
        let installs = installs(app, environment, identity)
        let statement: SQL =
            switch identity {
            case .user(let number):
                """
                SELECT least(
                           (SELECT first_at FROM users WHERE app_no = \(app) AND environment = \(environment.code)
                                AND user_no = \(number)),
                           min(i.anonymous_first_at) FILTER (WHERE i.owner_no = \(number))),
                       count(*), ((max(i.last_day) + 1)::timestamp AT TIME ZONE 'UTC')
                FROM (\(installs)) i LIMIT 1
                """
            case .install:
                """
                SELECT min(i.first_at), count(*), ((max(i.last_day) + 1)::timestamp AT TIME ZONE 'UTC')
                FROM (\(installs)) i LIMIT 1
                """
            }
        return try connection.first(statement) { row -> Person? in
            // Whoever has no event left is nobody.
            guard let firstMs = try row.optionalTimestampMs(0), let endMs = try row.optionalTimestampMs(2)
            else {
                return nil
            }
            return Person(
                app: app,
                environment: environment,
                identity: identity,
                key: key,
                firstSeenMs: firstMs,
                installs: try row.int(1),
                lastDayEndMs: endMs
            )
        } ?? nil
    }
}
