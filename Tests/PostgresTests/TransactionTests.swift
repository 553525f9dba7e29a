import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct TransactionTests {
    private func withTable(
        _ body: (_ connection: PostgresConnection, _ schema: String) async throws -> Void
    ) async throws {
        try await withSchema { connection, schema in
            try await connection.script(
                "CREATE TABLE t (n integer PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)"
            )
            try await body(connection, schema)
        }
    }

    private func numbers(_ connection: PostgresConnection) async throws -> [Int] {
        try await connection.rows("SELECT n FROM t ORDER BY n") { row in try row.int(0) }
    }

    @Test func returningCommits() async throws {
        try await withTable { connection, schema in
            let value = try await connection.transaction { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                return "done"
            }
            #expect(value == "done")
            let other = try await openConnection()
            #expect(try await other.execute(SQL(unsafe: "SELECT * FROM \(schema).t")) == 1)
        }
    }

    @Test func throwingRollsBack() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Stop.self) {
                try await connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (1)")
                    throw Stop()
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func aFailedStatementRollsBack() async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (1)")
                    try connection.execute("SELECT 1/0")
                }
            }
            #expect(error.sqlState == "22012")
            #expect(!error.atCommit)
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func anErrorAtCommitSaysSo() async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (1), (1)")
                }
            }
            #expect(error.sqlState == "23505")
            #expect(error.atCommit)
            #expect(error.description.hasPrefix("postgres 23505 at COMMIT: "))
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func aSwallowedErrorIsThrownInsteadOfCommitting() async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (1)")
                    _ = try? connection.execute("SELECT 1/0")
                }
            }
            #expect(error.sqlState == "22012")
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func anInnerTransactionCanFailAlone() async throws {
        try await withTable { connection, _ in
            try await connection.transaction { connection in
                try connection.execute("INSERT INTO t VALUES (1)")
                _ = try? connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (2)")
                    try connection.execute("SELECT 1/0")
                }
                try connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (3)")
                    try connection.transaction { connection in
                        try connection.execute("INSERT INTO t VALUES (4)")
                    }
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [1, 3, 4])
        }
    }

    @Test func anInnerTransactionEndsWithTheOuterOne() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Stop.self) {
                try await connection.transaction { connection in
                    try connection.transaction { connection in
                        try connection.execute("INSERT INTO t VALUES (1)")
                    }
                    throw Stop()
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func aFailedCopyRollsBack() async throws {
        try await withTable { connection, _ in
            await #expect(throws: Stop.self) {
                try await connection.transaction { connection in
                    try connection.execute("INSERT INTO t VALUES (1)")
                    try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") { _ in throw Stop() }
                }
            }
            let stored = try await numbers(connection)
            #expect(stored == [])
        }
    }

    @Test func endingTheTransactionInsideIsAnError() async throws {
        try await withTable { connection, _ in
            let error = try await postgresError {
                try await connection.transaction { connection in try connection.script("COMMIT") }
            }
            #expect(error.sqlState == "55000")
        }
    }

    @Test func callersDoNotMixTheirTransactions() async throws {
        try await withTable { connection, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        do {
                            try await connection.transaction { connection in
                                try connection.execute("INSERT INTO t VALUES (\(number))")
                                if number % 2 == 1 { throw Stop() }
                            }
                        } catch is Stop {}
                    }
                }
                try await group.waitForAll()
            }
            let stored = try await numbers(connection)
            #expect(stored == Array(stride(from: 0, to: 50, by: 2)))
        }
    }

    @Test func aConnectionLostInsideIsUnavailable() async throws {
        try await withTable { connection, _ in
            let other = try await openConnection()
            let id = try await connection.processID()
            let error = try await postgresError {
                try await connection.transaction { connection in
                    try connection.execute("SELECT pg_terminate_backend(\(id))")
                }
            }
            #expect(error.isUnavailable)
            #expect(await !connection.isOpen)
            await other.close()
        }
    }
}
