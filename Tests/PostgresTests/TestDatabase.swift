import Foundation
import Postgres
import Testing

/// The server for the tests that need one.
let testDatabaseURL = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"]

/// Suites are serial within themselves, so that a test run stays far below the server's limit of connections.
extension Trait where Self == ConditionTrait {
    static var needsDatabase: Self {
        .enabled(if: testDatabaseURL != nil, "set TEST_DATABASE_URL")
    }
}

func openConnection(
    application: String = "postgres-tests",
    statementTimeoutMs: Int? = nil
) async throws -> PostgresConnection {
    try await PostgresConnection(
        url: try #require(testDatabaseURL),
        applicationName: application,
        statementTimeoutMs: statementTimeoutMs
    )
}

/// Gives a test a schema of its own, and removes it whatever happens.
func withSchema(
    _ body: (_ connection: PostgresConnection, _ schema: String) async throws -> Void
) async throws {
    let schema = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    let connection = try await openConnection()
    try await connection.script("CREATE SCHEMA \(schema); SET search_path TO \(schema)")
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(connection, schema)) } catch { outcome = .failure(error) }
    await connection.close()
    try await openConnection().script("DROP SCHEMA \(schema) CASCADE")
    try outcome.get()
}

func withConnection(_ body: (PostgresConnection) async throws -> Void) async throws {
    let connection = try await openConnection()
    try await body(connection)
    await connection.close()
}

/// The error that `body` throws.
func postgresError<Value>(_ body: () async throws -> Value) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    throw NoError()
}

struct NoError: Error {}

/// Thrown by the tests' own closures.
struct Stop: Error {}

extension PostgresConnection {
    func processID() throws -> Int {
        try first("SELECT pg_backend_pid()") { row in try row.int(0) } ?? 0
    }

    func isActive(_ processID: Int) throws -> Bool {
        try execute("SELECT 1 FROM pg_stat_activity WHERE pid = \(processID) AND state = 'active'") == 1
    }

    func terminate(_ processID: Int) throws {
        try execute("SELECT pg_terminate_backend(\(processID), 5000)")
    }
}
