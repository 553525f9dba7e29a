import Foundation
import Postgres

/// A database of its own, migrated by `fgctl`, with the roles the services really have.
struct ScratchDatabase: Sendable {
    let name: String
    /// As the owner.
    let url: String
    /// Roles belong to the whole server, so every test gives them the same one.
    static let rolePassword = "pipeline-tests"

    private let server: String

    /// - Parameter server: as an administrator; the one of all tests when none is named.
    static func create(on server: String? = nil) async throws -> ScratchDatabase {
        let server = try server ?? TestSetting.databaseURL()
        let name = "pipeline_" + UUID().uuidString.replacing("-", with: "").prefix(16).lowercased()
        var url = try components(server)
        url.path = "/" + name
        let database = ScratchDatabase(name: name, url: url.string ?? "", server: server)
        try await database.asAdministrator {
            try await $0.script("CREATE DATABASE \(name) TEMPLATE template0")
        }
        return database
    }

    func drop() async throws {
        try await asAdministrator { try await $0.script("DROP DATABASE \(name) WITH (FORCE)") }
    }

    /// - Parameter port: of a proxy in between, if there is one.
    func url(of service: ServiceName, port: Int? = nil) throws -> String {
        var url = try Self.components(self.url)
        url.user = "foreground_\(service.rawValue)"
        url.password = Self.rolePassword
        if let port { url.port = port }
        return url.string ?? ""
    }

    /// Where its server listens.
    var port: Int {
        get throws { try Self.components(url).port ?? 5_432 }
    }

    func connect() async throws -> PostgresConnection {
        try await PostgresConnection(url: url, applicationName: "pipeline-tests")
    }

    func use<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        let connection = try await connect()
        let value = try await body(connection)
        await connection.close()
        return value
    }

    func count(_ sql: SQL) async throws -> Int {
        try await use { try await $0.first(sql) { try $0.int(0) } ?? -1 }
    }

    func texts(_ sql: SQL) async throws -> [String] {
        try await use { try await $0.rows(sql) { try $0.string(0) } }
    }

    /// Refuses everybody, as a database that is away does, or lets them in again.
    func setAway(_ isAway: Bool) async throws {
        try await asAdministrator { connection in
            try await connection.script("ALTER DATABASE \(name) ALLOW_CONNECTIONS \(!isAway)")
            guard isAway else { return }
            try await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(name)"
            )
        }
    }

    private func asAdministrator(_ body: (PostgresConnection) async throws -> Void) async throws {
        let connection = try await PostgresConnection(
            url: server,
            applicationName: "pipeline-tests"
        )
        try await body(connection)
        await connection.close()
    }

    private static func components(_ url: String) throws -> URLComponents {
        guard let components = URLComponents(string: url) else {
            throw NeverHappened(what: "TEST_DATABASE_URL is a URL", seconds: 0)
        }
        return components
    }
}
