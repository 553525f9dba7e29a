import Postgres
import Testing

/// Errors as the server really makes them.
@Suite(.serialized, .needsDatabase) struct ErrorKindTests {
    @Test func uniqueViolationNamesItsConstraint() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (name text CONSTRAINT name_once UNIQUE)")
            try await connection.execute("INSERT INTO t VALUES (\("secret"))")
            let error = try await postgresError {
                try await connection.execute("INSERT INTO t VALUES (\("secret"))")
            }
            #expect(error.sqlState == "23505")
            #expect(error.constraint == "name_once")
            #expect(error.kind == .other)
            #expect(error.detail == "Key (name)=(secret) already exists.")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func valuesStayOutOfTheLog() async throws {
        try await withSchema { connection, _ in
            let error = try await postgresError {
                try await connection.execute("SELECT \("secret")::integer")
            }
            #expect(error.sqlState == "22P02")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func serializationFailureIsRetryable() async throws {
        try await withSchema { one, schema in
            try await one.script("CREATE TABLE t (n int); INSERT INTO t VALUES (0)")
            let two = try await openConnection()
            for connection in [one, two] {
                try await connection.script(
                    "SET search_path TO \(schema); BEGIN ISOLATION LEVEL SERIALIZABLE"
                )
                try await connection.execute("SELECT n FROM t")
            }
            try await one.script("UPDATE t SET n = 1; COMMIT")
            let error = try await postgresError { try await two.execute("UPDATE t SET n = 2") }
            #expect(error.sqlState == "40001")
            #expect(error.isRetryable)
        }
    }

    @Test func deadlockIsRetryable() async throws {
        try await withSchema { one, schema in
            try await one.script(
                "CREATE TABLE t (n int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0), (2, 0)"
            )
            let two = try await openConnection()
            try await two.script("SET search_path TO \(schema)")
            for (connection, first) in [(one, 1), (two, 2)] {
                try await connection.script("BEGIN")
                try await connection.execute("UPDATE t SET v = 1 WHERE n = \(first)")
            }
            let outcomes = await withTaskGroup(of: PostgresError?.self) { group in
                for (connection, second) in [(one, 2), (two, 1)] {
                    group.addTask {
                        do {
                            try await connection.execute("UPDATE t SET v = 2 WHERE n = \(second)")
                            return nil
                        } catch {
                            return error as? PostgresError
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let errors = outcomes.compactMap { $0 }
            #expect(errors.map(\.sqlState) == ["40P01"])
            #expect(errors.map(\.isRetryable) == [true])
            try await two.script("ROLLBACK")
        }
    }

    @Test func lockTimeoutIsRetryable() async throws {
        try await withSchema { one, schema in
            try await one.script("CREATE TABLE t (n int)")
            try await one.script("BEGIN; LOCK TABLE t")
            let two = try await openConnection()
            try await two.script("SET lock_timeout = 10")
            let error = try await postgresError {
                try await two.execute(SQL(unsafe: "SELECT * FROM \(schema).t"))
            }
            #expect(error.sqlState == "55P03")
            #expect(error.isRetryable)
            try await one.script("ROLLBACK")
        }
    }

    @Test func statementTimeoutIsRetryable() async throws {
        let connection = try await openConnection(statementTimeoutMs: 20)
        let error = try await postgresError { try await connection.execute("SELECT pg_sleep(60)") }
        #expect(error.sqlState == "57014")
        #expect(error.isRetryable)
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func statementTimeoutCanBeLifted() async throws {
        let connection = try await openConnection(statementTimeoutMs: 20)
        try await connection.setStatementTimeout(ms: nil)
        #expect(try await connection.execute("SELECT pg_sleep(0.1)") == 1)
    }

    @Test func terminatedBetweenStatementsIsUnavailable() async throws {
        let connection = try await openConnection()
        let id = try await connection.processID()
        try await openConnection().terminate(id)
        let error = try await postgresError { try await connection.execute("SELECT 1") }
        #expect(error.isUnavailable)
        #expect(await !connection.isOpen)
    }

    @Test func terminatedDuringAStatementIsUnavailable() async throws {
        let connection = try await openConnection()
        let id = try await connection.processID()
        let error = try await postgresError {
            async let sleep = connection.execute("SELECT pg_sleep(60)")
            let other = try await openConnection()
            while try await other.isActive(id) == false { await Task.yield() }
            try await other.terminate(id)
            _ = try await sleep
        }
        #expect(error.sqlState == "57P01")
        #expect(error.isUnavailable)
        #expect(await !connection.isOpen)
    }

    @Test func anIdleConnectionThatWasTerminatedIsSeenAsClosed() async throws {
        let connection = try await openConnection()
        #expect(await connection.isOpen)
        let id = try await connection.processID()
        try await openConnection().terminate(id)
        #expect(await !connection.isOpen)
    }
}
