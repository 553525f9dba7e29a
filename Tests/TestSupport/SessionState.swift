public import Postgres

extension PostgresConnection {
    public func processID() throws -> Int {
        try first("SELECT pg_backend_pid() LIMIT 1") { try $0.int(0) } ?? 0
    }

    /// Returns once the other session waits for a lock; the test's own time limit ends a wait for nothing.
    public func waitUntilBlocked(_ processID: Int) async throws {
        while try !isBlocked(processID) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func isBlocked(_ processID: Int) throws -> Bool {
        try first("SELECT cardinality(pg_blocking_pids(\(processID))) > 0 LIMIT 1") { try $0.bool(0) }
            ?? false
    }

    /// A whole number from a statement that returns one row of one column.
    public func number(_ sql: SQL) throws -> Int {
        try first(sql) { try $0.int(0) } ?? 0
    }

    /// The first column as text, row by row.
    public func texts(_ sql: SQL) throws -> [String] {
        try rows(sql) { try $0.optionalString(0) ?? "NULL" }
    }
}

/// The SQLSTATE that `body` fails with, or nil when it does not fail.
public func sqlState<Value>(of body: () async throws -> Value) async throws -> String? {
    do {
        _ = try await body()
        return nil
    } catch let error as PostgresError {
        return error.sqlState
    }
}
