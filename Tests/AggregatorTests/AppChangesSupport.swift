import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport

extension StoreBench {
    /// Carries out what was begun, on connections of its own.
    @discardableResult
    func carryOn(
        chunk: Int = 5_000,
        role: String? = nil,
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> AppChangesSummary {
        let own = self.url
        let url = role.map { TestSupport.url(own, actingAs: $0) } ?? own
        return try await withConnection(to: url) { work in
            try await AppChangesRun(connection: work, chunk: chunk) {
                let connection = try await PostgresConnection(url: url, applicationName: "test-merge")
                return try await EventStore(connection: connection, topic: "events")
            }
            .run(shouldStop: shouldStop)
        }
    }

    /// Stops the work again and again, a little later each time, until it is done.
    func carryOnInterrupted(chunk: Int) async throws {
        var stops = 1
        while try await running() > 0 {
            let stop = StopAfter(stops)
            let summary = try await carryOn(chunk: chunk, shouldStop: { stop.isReached })
            if summary.failed > 0 { throw ChangeFailed() }
            stops += 1 + stops / 2
        }
    }

    func running() async throws -> Int {
        try await connection.number(
            """
            SELECT (SELECT count(*) FROM app_merges WHERE status = 'running')
                 + (SELECT count(*) FROM app_deletions WHERE status = 'running')
            """
        )
    }

    /// Tables that have a row with the number of an app.
    func places(of app: TestApp) async throws -> [String] {
        let tables = try await connection.texts(
            """
            SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE a.attname = 'app_no' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
              AND c.relnamespace = 'public'::regnamespace ORDER BY 1 LIMIT 100
            """
        )
        var places: [String] = []
        for table in tables {
            let rows = try await connection.number(
                "SELECT count(*) FROM " + SQL(unsafe: table) + " WHERE app_no = \(app.number)"
            )
            if rows > 0 { places.append(table) }
        }
        return places
    }
}

struct ChangeFailed: Error {}

extension EventMessage {
    func of(_ app: TestApp) -> EventMessage {
        var message = self
        message.appID = app.id
        return message
    }
}
