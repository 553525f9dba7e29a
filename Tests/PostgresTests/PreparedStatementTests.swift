import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct PreparedStatementTests {
    private func preparedCount(_ connection: PostgresConnection) async throws -> Int {
        try await connection.first("SELECT count(*) FROM pg_prepared_statements") { row in try row.int(0) }
            ?? -1
    }

    @Test func repeatedStatementsArePreparedOnce() async throws {
        let connection = try await openConnection()
        for number in 0..<5 {
            #expect(try await connection.first("SELECT \(number)::int") { row in try row.int(0) } == number)
        }
        #expect(try await preparedCount(connection) == 1)
    }

    @Test func aStatementPlannedEachTimeIsNeverPrepared() async throws {
        let connection = try await openConnection()
        for number in 0..<5 {
            let sql: SQL = "SELECT \(number)::int"
            let found = try await connection.first(sql.plannedEachTime) { row in try row.int(0) }
            #expect(found == number)
        }
        #expect(try await preparedCount(connection) <= 1)
        let names = try await connection.rows("SELECT statement FROM pg_prepared_statements LIMIT 10") {
            row in
            try row.string(0)
        }
        #expect(!names.contains { $0.hasPrefix("SELECT $1::int") })
    }

    @Test func theNumberOfPreparedStatementsIsBounded() async throws {
        let connection = try await PostgresConnection(
            url: try #require(testDatabaseURL),
            applicationName: "tests",
            preparedMax: 4
        )
        for number in 0..<20 {
            let sql = SQL(unsafe: "SELECT \(number)")
            for _ in 0..<3 { #expect(try await connection.first(sql) { row in try row.int(0) } == number) }
        }
        let count = try await preparedCount(connection)
        #expect(count > 0 && count <= 4)
    }

    @Test func aChangedTableIsPlannedAnew() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            for _ in 0..<3 { try await connection.execute("SELECT * FROM t") }
            try await connection.script("ALTER TABLE t ADD b text DEFAULT 'x'")
            #expect(try await connection.first("SELECT * FROM t") { row in try row.string(1) } == "x")
        }
    }

    @Test func aChangedTableInsideATransactionIsRetryable() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (a int)")
            for _ in 0..<3 { try await connection.execute("SELECT * FROM t") }
            try await connection.script("ALTER TABLE t ADD b text")
            let error = try await postgresError {
                try await connection.transaction { connection in try connection.execute("SELECT * FROM t") }
            }
            #expect(error.isRetryable)
            let count = try await connection.transaction { connection in
                try connection.execute("SELECT * FROM t")
            }
            #expect(count == 0)
        }
    }

    @Test func discardedStatementsArePreparedAgain() async throws {
        let connection = try await openConnection()
        for _ in 0..<3 { try await connection.execute("SELECT 7") }
        try await connection.script("DISCARD ALL")
        #expect(try await connection.first("SELECT 7") { row in try row.int(0) } == 7)
    }

    @Test func aSecondTypeForTheSameTextIsNoProblem() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (v text)")
            for value in ["1", nil, "text"] {
                try await connection.execute("INSERT INTO t VALUES (\(value))")
            }
            #expect(try await connection.first("SELECT count(v) FROM t") { row in try row.int(0) } == 2)
        }
    }
}
