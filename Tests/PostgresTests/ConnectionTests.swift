import Foundation
import Postgres
import Testing

/// Connections that cannot be made; these need no server.
@Suite struct RefusedConnectionTests {
    private func failure(url: String) async throws -> PostgresError {
        try await postgresError {
            try await PostgresConnection(url: url, applicationName: "tests")
        }
    }

    @Test func refusedConnectionIsUnavailable() async throws {
        let error = try await failure(url: "postgres://user:secret@127.0.0.1:1/nothing")
        #expect(error.sqlState == "08001")
        #expect(error.isUnavailable)
        #expect(
            error.description
                == #"postgres 08001: connection to server at "127.0.0.1", port 1 failed: Connection refused"#
        )
    }

    @Test(arguments: [
        ("postgres://u:secret%zz@h/x", "cannot be read"),
        ("secret", "cannot be read"),
        ("postgres://h/x?secret=1", "cannot be read"),
        ("postgres://user@host:secret/x", "has a port that is no number from 1 to 65535"),
        ("postgres://user@host:70000/x", "has a port that is no number from 1 to 65535"),
        ("postgres://user:top@secret@h/x", "has an @ in its host: write %40 for one in the password"),
    ])
    func unusableURLIsNotRepeated(url: String, problem: String) async throws {
        let error = try await failure(url: url)
        #expect(error.sqlState == "22023")
        #expect(error.kind == .other)
        #expect(error.message == "the connection URL " + problem)
    }

    @Test func nulInTheURL() async throws {
        #expect(try await failure(url: "postgres://127.0.0.1:1/a\0b").sqlState == "22021")
    }
}

@Suite(.serialized, .needsDatabase) struct ConnectionTests {
    @Test func theSessionSpeaksUTCAndUTF8() async throws {
        let connection = try await openConnection(application: "my name")
        let settings = try await connection.first(
            """
            SELECT concat_ws(' ', current_setting('TimeZone'), current_setting('client_encoding'),
                current_setting('application_name'))
            """
        ) { row in try row.string(0) }
        #expect(settings == "UTC UTF8 my name")
    }

    @Test func aMissingDatabaseIsNotWorthARetry() async throws {
        let usual = try #require(testDatabaseURL)
        var parts = try #require(URLComponents(string: usual))
        parts.path = "/no_such_database"
        let url = try #require(parts.string)
        let error = try await postgresError {
            _ = try await PostgresConnection(url: url, applicationName: "tests")
        }
        #expect(error.sqlState == "3D000")
        #expect(error.kind == .other)
    }

    @Test func executeCountsRows() async throws {
        try await withSchema { connection, _ in
            let counts = [
                try await connection.execute("CREATE TABLE t (n integer)"),
                try await connection.execute("INSERT INTO t SELECT generate_series(1, 5)"),
                try await connection.execute("UPDATE t SET n = 0 WHERE n > \(3)"),
                try await connection.execute("DELETE FROM t"),
            ]
            #expect(counts == [0, 5, 2, 5])
        }
    }

    @Test func rowsKeepTheirOrder() async throws {
        let connection = try await openConnection()
        let numbers = try await connection.rows("SELECT n FROM generate_series(1, 1000) n ORDER BY n") {
            row in
            try row.int(0)
        }
        #expect(numbers == Array(1...1000))
    }

    @Test func firstOfNothingIsNil() async throws {
        let connection = try await openConnection()
        #expect(try await connection.first("SELECT 1 WHERE false") { row in try row.int(0) } == nil)
    }

    @Test func aThrowingDecoderLeavesTheConnectionUsable() async throws {
        let connection = try await openConnection()
        await #expect(throws: Stop.self) {
            _ = try await connection.rows("SELECT generate_series(1, 10)") { _ -> Int in throw Stop() }
        }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func scriptsRunAllTheirStatements() async throws {
        try await withSchema { connection, _ in
            try await connection.script(
                "CREATE TABLE t (n int); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);"
            )
            #expect(try await connection.first("SELECT count(*) FROM t") { row in try row.int(0) } == 2)
        }
    }

    @Test func aFailingScriptLeavesNothing() async throws {
        try await withSchema { connection, _ in
            let error = try await postgresError {
                try await connection.script("CREATE TABLE t (n int); SELECT 1/0")
            }
            #expect(error.sqlState == "22012")
            let exists = try await connection.first("SELECT to_regclass('t') IS NOT NULL") { row in
                try row.bool(0)
            }
            #expect(exists == false)
        }
    }

    @Test func emptyStatementsAreFine() async throws {
        let connection = try await openConnection()
        #expect(try await connection.execute("") == 0)
        try await connection.script("")
    }

    @Test func closedConnectionsSaySo() async throws {
        let connection = try await openConnection()
        await connection.close()
        #expect(await !connection.isOpen)
        let error = try await postgresError { try await connection.execute("SELECT 1") }
        #expect(error.sqlState == "08003")
        #expect(error.isUnavailable)
    }

    @Test func connectionsWaitAtTheSameTime() async throws {
        // More of them than cores, all waiting for the one that comes last: on shared threads it might never
        // come.
        let connections = try await withThrowingTaskGroup(of: PostgresConnection.self) { group in
            for _ in 0..<12 { group.addTask { try await openConnection() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let channel = "c" + UUID().uuidString.prefix(8).lowercased()
        for connection in connections { try await connection.listen(channel) }
        let heard = try await withThrowingTaskGroup(of: Bool.self) { group in
            for connection in connections {
                group.addTask { try await connection.waitForNotification(ms: 30_000) != nil }
            }
            group.addTask {
                try await openConnection().execute("SELECT pg_notify(\(channel), '')")
                return true
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(heard)
    }
}
