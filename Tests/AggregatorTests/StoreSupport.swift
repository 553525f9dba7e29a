import AggregatorCore
import Contracts
import Postgres
import ServiceKit
import TestSupport

extension EventStore {
    /// Stores messages whose place in the topic does not matter.
    @discardableResult
    func add(_ messages: [EventMessage]) async throws -> StoreOutcome {
        let decoded = messages.enumerated().map { offset, message in
            DecodedMessage(partition: 0, offset: Int64(offset), content: .events(message))
        }
        return try await store(decoded, progress: [])
    }

    @discardableResult
    func add(_ messages: EventMessage...) async throws -> StoreOutcome { try await add(messages) }

    /// As the consumer does it: what is worth another try gets one.
    @discardableResult
    func addRetrying(_ messages: [EventMessage]) async throws -> StoreOutcome {
        while true {
            do {
                return try await add(messages)
            } catch let error as PostgresError where error.isRetryable {
                continue
            }
        }
    }
}

/// A database, one app in it and a store.
struct StoreBench {
    let url: String
    let connection: PostgresConnection
    let app: TestApp
    let store: EventStore
}

/// The store works on the second connection, so that a test can look at the tables meanwhile.
func withStore(
    timezone: String = "UTC",
    _ body: (StoreBench) async throws -> Void
) async throws {
    try await withDatabase { url, connection in
        let app = try await TestApp.make(connection, timezone: timezone)
        try await withConnection(to: url) { own in
            let store = try await EventStore(connection: own, topic: "events")
            try await body(StoreBench(url: url, connection: connection, app: app, store: store))
        }
    }
}

/// Everything stored of an app with numbers replaced by what they stand for, so that two ways to the same facts compare equal.
struct StoredFacts: Equatable {
    var events: [String]
    var installs: [String]
    var users: [String]
    var userInstalls: [String]
    var days: [String]

    static func of(_ app: TestApp, _ connection: PostgresConnection) async throws -> StoredFacts {
        StoredFacts(
            events: try await connection.texts(eventRows(app)),
            installs: try await connection.texts(installRows(app)),
            users: try await connection.texts(
                """
                SELECT ROW(u.environment, u.user_id, u.first_at, u.first_insert_id, c.fingerprint, u.last_day)::text
                FROM users u LEFT JOIN contexts c ON c.context_no = u.first_context_no
                WHERE u.app_no = \(app.number) ORDER BY 1 LIMIT 1000000
                """
            ),
            userInstalls: try await connection.texts(
                """
                SELECT ROW(l.environment, u.user_id, i.install_id)::text FROM user_installs l
                JOIN users u USING (app_no, environment, user_no)
                JOIN installs i USING (app_no, environment, install_no)
                WHERE l.app_no = \(app.number) ORDER BY 1 LIMIT 1000000
                """
            ),
            days: try await connection.texts(
                """
                SELECT DISTINCT ROW(environment, day)::text FROM dirty_days
                WHERE app_no = \(app.number) ORDER BY 1 LIMIT 1000000
                """
            )
        )
    }

    private static func eventRows(_ app: TestApp) -> SQL {
        """
        SELECT ROW(e.environment, e.kind, e.event_time, e.received_at, e.client_time, e.insert_id, e.session_id,
                   i.install_id, u.user_id, e.duration_ms, c.fingerprint, c.platform, c.app_version)::text
        FROM events e
        JOIN installs i USING (app_no, environment, install_no)
        LEFT JOIN users u USING (app_no, environment, user_no)
        JOIN contexts c ON c.app_no = e.app_no AND c.context_no = e.context_no
        WHERE e.app_no = \(app.number) ORDER BY 1 LIMIT 1000000
        """
    }

    private static func installRows(_ app: TestApp) -> SQL {
        """
        SELECT ROW(i.environment, i.install_id, i.first_at, i.first_insert_id, f.fingerprint, i.anonymous_first_at,
                   i.anonymous_first_insert_id, a.fingerprint, u.user_id, i.owner_at, i.owner_insert_id,
                   i.last_day)::text
        FROM installs i
        LEFT JOIN users u ON u.app_no = i.app_no AND u.environment = i.environment AND u.user_no = i.owner_no
        LEFT JOIN contexts f ON f.context_no = i.first_context_no
        LEFT JOIN contexts a ON a.context_no = i.anonymous_first_context_no
        WHERE i.app_no = \(app.number) ORDER BY 1 LIMIT 1000000
        """
    }
}

extension PostgresConnection {
    func eventCount() throws -> Int { try number("SELECT count(*) FROM events LIMIT 1") }

    /// What is wrong with the numbers of installs and users: nothing when they count from 1 without a gap, as far as the counters say.
    func numberingFaults() throws -> [String] {
        try texts(
            """
            SELECT ROW(k.app_no, k.environment, k.what, k.rows, k.least, k.most, k.last)::text FROM (
                SELECT c.app_no, c.environment, 'install' AS what, count(*) AS rows, min(install_no) AS least,
                       max(install_no) AS most, c.install_last AS last
                FROM installs JOIN number_counters c USING (app_no, environment)
                GROUP BY c.app_no, c.environment
                UNION ALL
                SELECT c.app_no, c.environment, 'user', count(*), min(user_no), max(user_no), c.user_last
                FROM users JOIN number_counters c USING (app_no, environment)
                GROUP BY c.app_no, c.environment
            ) k
            WHERE NOT (k.least = 1 AND k.most = k.rows AND k.last = k.rows) ORDER BY 1 LIMIT 100
            """
        )
    }
}
