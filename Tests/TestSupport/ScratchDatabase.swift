import Foundation
public import Postgres
import Schema

/// The server of the tests that need one: `TEST_DATABASE_URL`, as a superuser.
public enum TestServer {
    public static let url = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"]

    /// For `.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL")`.
    public static var isThere: Bool { url != nil }
}

/// Gives a test a database of its own, migrated to the newest step, and drops it whatever happens.
///
/// A database rather than a schema: advisory locks, notifications and statistics belong to a database, so tests that run at the same
/// moment cannot meet in them.
public func withDatabase(
    _ body: (_ url: String, _ connection: PostgresConnection) async throws -> Void
) async throws {
    try await withEmptyDatabase { url, connection in
        _ = try await Migrator.migrate(connection)
        try await body(url, connection)
    }
}

/// The same without any table.
public func withEmptyDatabase(
    _ body: (_ url: String, _ connection: PostgresConnection) async throws -> Void
) async throws {
    guard let server = TestServer.url, var components = URLComponents(string: server) else {
        throw NoTestServer()
    }
    let name = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    components.path = "/" + name
    guard let url = components.string else { throw NoTestServer() }
    try await administer(server, "CREATE DATABASE \(name) TEMPLATE template0")
    let outcome: Result<Void, any Error>
    do {
        let connection = try await PostgresConnection(url: url, applicationName: "test")
        outcome = await Result { try await body(url, connection) }
        await connection.close()
    } catch {
        outcome = .failure(error)
    }
    try await administer(server, "DROP DATABASE \(name) WITH (FORCE)")
    try outcome.get()
}

/// `TEST_DATABASE_URL` is missing or no URL.
public struct NoTestServer: Error {}

private func administer(_ server: String, _ statement: String) async throws {
    let connection = try await PostgresConnection(url: server, applicationName: "test-admin")
    try await connection.script(statement)
    await connection.close()
}

extension Result where Success == Void, Failure == any Error {
    fileprivate init(_ body: () async throws -> Void) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Another session of the same database, closed at the end.
public func withConnection<Value>(
    to url: String,
    _ body: (PostgresConnection) async throws -> Value
) async throws -> Value {
    let connection = try await PostgresConnection(url: url, applicationName: "test-other")
    do {
        let value = try await body(connection)
        await connection.close()
        return value
    } catch {
        await connection.close()
        throw error
    }
}
