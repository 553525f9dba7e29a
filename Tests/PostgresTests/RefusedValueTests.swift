import Postgres
import Testing

/// What cannot be sent or read throws, and the connection goes on.
@Suite(.serialized, .needsDatabase) struct RefusedValueTests {
    private func state(of sql: SQL, _ decode: @Sendable (borrowing Row) throws -> Void) async throws -> String
    {
        let connection = try await openConnection()
        let error = try await postgresError { _ = try await connection.rows(sql, decode: decode) }
        #expect(try await connection.first("SELECT 1") { row in try row.int(0) } == 1)
        return error.sqlState
    }

    @Test func nulInAParameter() async throws {
        #expect(try await state(of: "SELECT \("a\0b")::text") { row in _ = try row.string(0) } == "22021")
    }

    @Test func nulInAnArray() async throws {
        #expect(try await state(of: "SELECT \(["a", "b\0c"])::text[]") { _ in } == "22021")
    }

    @Test func nulInTheStatement() async throws {
        #expect(try await state(of: SQL(unsafe: "SELECT 1\0, 2")) { _ in } == "22021")
    }

    @Test func tooManyParameters() async throws {
        var sql: SQL = "SELECT 0"
        for number in 0..<65_536 { sql += ", \(number)::int" }
        #expect(try await state(of: sql) { _ in } == "54023")
    }

    @Test func textAsNumber() async throws {
        #expect(try await state(of: "SELECT '1'::text") { row in _ = try row.int(0) } == "42804")
    }

    @Test func numberAsText() async throws {
        #expect(try await state(of: "SELECT 1::int") { row in _ = try row.string(0) } == "42804")
    }

    @Test func compositeAsText() async throws {
        try await withSchema { connection, _ in
            try await connection.execute("CREATE TYPE pair AS (a int, b int)")
            let error = try await postgresError {
                _ = try await connection.first("SELECT ROW(1, 2)::pair") { row in try row.string(0) }
            }
            #expect(error.sqlState == "42804")
        }
    }

    @Test func boolAsNumber() async throws {
        #expect(try await state(of: "SELECT true") { row in _ = try row.int(0) } == "42804")
    }

    @Test func numberAsUUID() async throws {
        #expect(try await state(of: "SELECT 1::bigint") { row in _ = try row.uuid(0) } == "42804")
    }

    @Test func dateAsTimestamp() async throws {
        #expect(try await state(of: "SELECT now()::date") { row in _ = try row.timestampMs(0) } == "42804")
    }

    @Test func bigintThatDoesNotFit() async throws {
        #expect(try await state(of: "SELECT 2147483648::bigint") { row in _ = try row.int32(0) } == "22003")
    }

    @Test(arguments: ["1.5", "9223372036854775808", "-9223372036854775809", "NaN", "1e40"])
    func numericThatDoesNotFit(text: String) async throws {
        let sqlState = try await state(of: "SELECT \(text)::numeric") { row in _ = try row.int64(0) }
        #expect(sqlState == "22003")
    }

    @Test(arguments: ["infinity", "-infinity"])
    func endlessTimes(text: String) async throws {
        #expect(
            try await state(of: "SELECT \(text)::timestamptz") { row in _ = try row.timestampMs(0) }
                == "22008"
        )
        #expect(try await state(of: "SELECT \(text)::date") { row in _ = try row.date(0) } == "22008")
    }

    @Test(arguments: [Int64.min, Int64.max])
    func timestampsBeyondPostgres(ms: Int64) async throws {
        #expect(try await state(of: "SELECT \(PostgresTimestamp(ms: ms))::timestamptz") { _ in } == "22008")
    }

    @Test func nullWhereNoneIsExpected() async throws {
        #expect(try await state(of: "SELECT NULL::int") { row in _ = try row.int(0) } == "22004")
    }

    @Test(arguments: [-1, 1, Int.max, Int.min])
    func columnsThatAreNotThere(column: Int) async throws {
        #expect(try await state(of: "SELECT 1") { row in _ = try row.int(column) } == "42703")
        #expect(try await state(of: "SELECT 1") { row in _ = try row.isNull(column) } == "42703")
    }

    @Test func errorsNameTheColumn() async throws {
        let connection = try await openConnection()
        let error = try await postgresError {
            _ = try await connection.first("SELECT 1 AS a, NULL::int AS b") { row in try row.int(1) }
        }
        #expect(error.message == "column 1 (b) is null")
    }
}
