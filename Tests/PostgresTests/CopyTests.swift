import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct CopyTests {
    private static let table = """
        CREATE TABLE t (a smallint, b integer, c bigint, d boolean, e float8, f text, g bytea, h uuid,
            i timestamptz, j date)
        """
    private static let copy = "COPY t FROM STDIN (FORMAT binary)"

    @Test func everyTypeArrives() async throws {
        try await withSchema { connection, _ in
            try await connection.script(Self.table)
            let count = try await connection.copyIn(Self.copy) { writer in
                writer.startRow(columns: 10)
                writer.int16(.min)
                writer.int32(.max)
                writer.int64(.min)
                writer.bool(true)
                writer.double(-0.1)
                writer.text("größe \\N \t\n")
                writer.bytes((0...255).map { UInt8($0) })
                writer.uuid(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
                writer.timestamp(msSinceEpoch: -1)
                writer.date(daysSinceEpoch: 19_782)
            }
            #expect(count == 1)
            let row = try await connection.first(
                """
                SELECT a = -32768 AND b = 2147483647 AND c = -9223372036854775808 AND d AND e = -0.1::float8
                    AND f = E'größe \\\\N \\t\\n' AND h = '00112233-4455-6677-8899-aabbccddeeff'
                    AND i = '1969-12-31T23:59:59.999Z' AND j = '2024-02-29', g
                FROM t
                """
            ) { row in (try row.bool(0), try row.bytes(1)) }
            #expect(row?.0 == true)
            #expect(row?.1 == (0...255).map { UInt8($0) })
        }
    }

    @Test func everyTypeMayBeNull() async throws {
        try await withSchema { connection, _ in
            try await connection.script(Self.table)
            try await connection.copyIn(Self.copy) { writer in
                writer.startRow(columns: 10)
                for _ in 0..<10 { writer.null() }
            }
            let nulls = try await connection.first("SELECT num_nulls(a,b,c,d,e,f,g,h,i,j) FROM t") { row in
                try row.int(0)
            }
            #expect(nulls == 10)
        }
    }

    @Test func noRowsAreFine() async throws {
        try await withSchema { connection, _ in
            try await connection.script(Self.table)
            #expect(try await connection.copyIn(Self.copy) { _ in } == 0)
        }
    }

    @Test func manyRowsArriveUnchanged() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (n integer, s text, u uuid)")
            let count = try await connection.copyIn("COPY t (n, s, u) FROM STDIN (FORMAT binary)") { writer in
                for number in 0..<200_000 {
                    writer.startRow(columns: 3)
                    writer.int32(Int32(number))
                    writer.text("row \(number)")
                    writer.uuid(high: 0, low: UInt64(number))
                }
            }
            #expect(count == 200_000)
            let wrong = try await connection.first(
                """
                SELECT count(*) FILTER (WHERE s <> 'row ' || n OR u <> lpad(to_hex(n), 32, '0')::uuid), sum(n)
                FROM t
                """
            ) { row in (try row.int(0), try row.int(1)) }
            #expect(wrong?.0 == 0)
            #expect(wrong?.1 == 199_999 * 100_000)
        }
    }

    @Test func valuesLargerThanTheBufferArriveWhole() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (g bytea)")
            let value = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await connection.copyIn(Self.copy) { writer in
                writer.startRow(columns: 1)
                writer.bytes(value)
            }
            #expect(try await connection.first("SELECT g FROM t") { row in try row.bytes(0) } == value)
        }
    }

    @Test func aThrowingBodyStoresNothingAndTheConnectionGoesOn() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (n integer)")
            await #expect(throws: Stop.self) {
                try await connection.copyIn(Self.copy) { writer in
                    for number in 0..<100_000 {
                        writer.startRow(columns: 1)
                        writer.int32(Int32(number))
                    }
                    throw Stop()
                }
            }
            #expect(try await connection.first("SELECT count(*) FROM t") { row in try row.int(0) } == 0)
        }
    }

    /// Runs one COPY that must fail, and shows that the connection works afterwards.
    private func failure(
        table: String = "CREATE TABLE t (n integer)",
        statement: String = CopyTests.copy,
        _ body: @Sendable (inout BinaryCopyWriter) throws -> Void
    ) async throws -> PostgresError {
        var error: PostgresError?
        try await withSchema { connection, _ in
            try await connection.script(table)
            error = try await postgresError { try await connection.copyIn(statement, body) }
            #expect(try await connection.first("SELECT count(*) FROM t") { row in try row.int(0) } == 0)
        }
        return try #require(error)
    }

    @Test func nulInTextIsRefused() async throws {
        let error = try await failure(table: "CREATE TABLE t (s text)") { writer in
            writer.startRow(columns: 1)
            writer.text("a\0b")
        }
        #expect(error.sqlState == "22021")
    }

    @Test func bytesThatAreNotUTF8AreRefused() async throws {
        let error = try await failure(table: "CREATE TABLE t (s text)") { writer in
            writer.startRow(columns: 1)
            writer.text(bytes: [0x61, 0xFF])
        }
        #expect(error.sqlState == "22021")
    }

    @Test(arguments: [1, 3])
    func rowsWithTheWrongNumberOfValuesAreRefused(values: Int) async throws {
        let error = try await failure(table: "CREATE TABLE t (a integer, b integer)") { writer in
            writer.startRow(columns: 2)
            for _ in 0..<values { writer.int32(1) }
        }
        #expect(error.sqlState == "22P04")
        #expect(error.message.hasPrefix("row 1 has 1 values too"))
    }

    @Test(arguments: [-1, 0, 40_000])
    func impossibleColumnCountsAreRefused(columns: Int) async throws {
        let error = try await failure { writer in writer.startRow(columns: columns) }
        #expect(error.sqlState == "54011")
    }

    @Test(arguments: [Int64.min, Int64.max])
    func timesOutOfRangeAreRefused(ms: Int64) async throws {
        let error = try await failure(table: "CREATE TABLE t (i timestamptz)") { writer in
            writer.startRow(columns: 1)
            writer.timestamp(msSinceEpoch: ms)
        }
        #expect(error.sqlState == "22008")
    }

    @Test func aServerErrorInTheMiddleIsTheOneReported() async throws {
        let error = try await failure(table: "CREATE TABLE t (n integer CHECK (n <> 5))") { writer in
            for number in 0..<500_000 {
                writer.startRow(columns: 1)
                writer.int32(Int32(number))
            }
        }
        #expect(error.sqlState == "23514")
        #expect(error.constraint == "t_n_check")
    }

    @Test func aServerThatGoesAwayEndsALoopThatChecks() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (n integer)")
            let id = try await connection.processID()
            let error = try await postgresError {
                async let count = connection.copyIn(Self.copy) { writer in
                    while true {
                        writer.startRow(columns: 1)
                        writer.int32(1)
                        try writer.check()
                    }
                }
                let other = try await openConnection()
                while try await other.isActive(id) == false { await Task.yield() }
                try await other.terminate(id)
                _ = try await count
            }
            #expect(error.isUnavailable)
            #expect(await !connection.isOpen)
        }
    }

    @Test func aTextCopyIsRefused() async throws {
        let error = try await failure(statement: "COPY t FROM STDIN") { writer in writer.startRow(columns: 1)
        }
        #expect(error.sqlState == "55000")
    }

    @Test func aMissingTableIsReported() async throws {
        let error = try await failure(statement: "COPY missing FROM STDIN (FORMAT binary)") { _ in }
        #expect(error.sqlState == "42P01")
    }

    @Test func nothingElseRunsDuringACopy() async throws {
        try await withSchema { connection, _ in
            try await connection.script("CREATE TABLE t (n integer)")
            let inner = try await connection.perform { connection in
                var inner: PostgresError?
                try connection.copyIn(Self.copy) { writer in
                    writer.startRow(columns: 1)
                    writer.int32(1)
                    do { try connection.execute("SELECT 1") } catch { inner = error as? PostgresError }
                }
                return inner
            }
            #expect(inner?.sqlState == "55000")
            #expect(try await connection.first("SELECT count(*) FROM t") { row in try row.int(0) } == 1)
        }
    }

    @Test func copyWithoutCopyInIsRefused() async throws {
        let connection = try await openConnection()
        let error = try await postgresError { try await connection.execute("COPY (SELECT 1) TO STDOUT") }
        #expect(error.sqlState == "55000")
        #expect(await !connection.isOpen)
    }
}
