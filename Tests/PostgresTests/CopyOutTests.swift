import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct CopyOutTests {
    private struct Stop: Error {}

    private static let rows = """
        COPY (SELECT n, CASE WHEN n % 2 = 0 THEN '1969-12-31T23:59:59.9999Z'::timestamptz END,
                     '00112233-4455-6677-8899-aabbccddeeff'::uuid
              FROM generate_series(1, 30000) n ORDER BY n) TO STDOUT (FORMAT binary)
        """

    private func expectUsable(_ connection: PostgresConnection) async throws {
        let seven = try await connection.first("SELECT 7 LIMIT 1") { try $0.int(0) }
        #expect(seven == 7)
    }

    @Test func everyRowArrivesInOrder() async throws {
        try await withSchema { connection, _ in
            let sum = try await connection.transaction { connection in
                var (sum, next) = (0, Int32(1))
                try connection.copyOut(Self.rows) { row in
                    let (number, ms, id) = (try row.int32(), try row.timestampMs(), try row.uuid())
                    #expect(number == next)
                    #expect(ms == (next % 2 == 0 ? -1 : nil))
                    #expect(id?.high == 0x0011_2233_4455_6677 && id?.low == 0x8899_AABB_CCDD_EEFF)
                    sum += Int(next)
                    next += 1
                }
                return sum
            }
            #expect(sum == 450_015_000)
        }
    }

    @Test func noRowsAreFine() async throws {
        try await withSchema { connection, _ in
            try await connection.copyOut("COPY (SELECT 1 WHERE false) TO STDOUT (FORMAT binary)") { _ in
                Issue.record("there is no row")
            }
            try await expectUsable(connection)
        }
    }

    @Test func connectionStaysUsableWhenTheBodyThrows() async throws {
        try await withSchema { connection, _ in
            await #expect(throws: Stop.self) {
                try await connection.copyOut(Self.rows) { row in
                    if try row.int32() == 5 { throw Stop() }
                }
            }
            try await expectUsable(connection)
        }
    }

    @Test func valueOfAnotherTypeThrows() async throws {
        try await withSchema { connection, _ in
            await #expect(throws: PostgresError.self) {
                try await connection.copyOut("COPY (SELECT 1::bigint) TO STDOUT (FORMAT binary)") {
                    _ = try $0.int32()
                }
            }
            await #expect(throws: PostgresError.self) {
                try await connection.copyOut("COPY (SELECT 1) TO STDOUT (FORMAT binary)") {
                    _ = try $0.int32()
                    _ = try $0.int32()
                }
            }
            try await expectUsable(connection)
        }
    }

    @Test func failureWithinTheStatementIsItsError() async throws {
        try await withSchema { connection, _ in
            for statement in [
                "COPY (SELECT nothing) TO STDOUT (FORMAT binary)",
                "COPY (SELECT 1 / (3 - n) FROM generate_series(1, 3) n) TO STDOUT (FORMAT binary)",
            ] {
                await #expect(throws: PostgresError.self) {
                    try await connection.copyOut(statement) { _ = try $0.int32() }
                }
                try await expectUsable(connection)
            }
        }
    }
}
