import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct StreamTests {
    @Test func everyRowComesInOrder() async throws {
        let connection = try await openConnection()
        let (count, isOrdered) = try await connection.perform { connection in
            var count = 0
            var isOrdered = true
            try connection.forEachRow("SELECT n FROM generate_series(1, \(300_000)::int) n") { row in
                count += 1
                if try row.int(0) != count { isOrdered = false }
            }
            return (count, isOrdered)
        }
        #expect(count == 300_000)
        #expect(isOrdered)
    }

    @Test func noRowsAreFine() async throws {
        let connection = try await openConnection()
        try await connection.forEachRow("SELECT 1 WHERE false") { _ in throw Stop() }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func aThrowingBodyStopsTheStatement() async throws {
        let connection = try await openConnection()
        // Endless as far as this test is concerned: it only ends because the statement is cancelled.
        await #expect(throws: Stop.self) {
            try await connection.forEachRow("SELECT generate_series(1, 1000000000000)") { _ in throw Stop() }
        }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func anErrorAfterSomeRowsIsThrown() async throws {
        let connection = try await openConnection()
        let error = try await postgresError {
            try await connection.forEachRow("SELECT 1 / (5000 - n) FROM generate_series(1, 5000) n") { row in
                _ = try row.int(0)
            }
        }
        #expect(error.sqlState == "22012")
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func nothingElseRunsMeanwhile() async throws {
        let connection = try await openConnection()
        let error = try await postgresError {
            try await connection.perform { connection in
                try connection.forEachRow("SELECT 1") { _ in try connection.execute("SELECT 2") }
            }
        }
        #expect(error.sqlState == "55000")
        #expect(try await connection.execute("SELECT 1") == 1)
    }
}
