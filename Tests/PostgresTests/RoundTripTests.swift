import Foundation
import Postgres
import Testing

/// What is sent as a parameter comes back as the same value.
@Suite(.serialized, .needsDatabase) struct RoundTripTests {
    private func echo<Value: Sendable>(
        _ sql: SQL,
        _ decode: @Sendable (borrowing Row) throws -> Value
    ) async throws -> Value {
        let connection = try await openConnection()
        return try #require(try await connection.first(sql, decode: decode))
    }

    @Test(arguments: [
        "", "NULL", "'; DROP TABLE x; --", "$1", "\\x41", "a\tb\r\n\u{1}",
        "größe 日本 👨‍👩‍👧 e\u{301}", "{\"a\":1}",
        String(repeating: "long ", count: 100_000),
    ])
    func text(value: String) async throws {
        let back = try await echo("SELECT \(value)::text") { row in try row.string(0) }
        #expect(Array(back.unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test(arguments: [0, 1, -1, Int64.max, Int64.min])
    func int64(value: Int64) async throws {
        #expect(try await echo("SELECT \(value)::bigint") { row in try row.int64(0) } == value)
    }

    @Test(arguments: [0, Int32.max, Int32.min])
    func int32(value: Int32) async throws {
        #expect(try await echo("SELECT \(value)::integer") { row in try row.int32(0) } == value)
    }

    @Test(arguments: [Int.max, Int.min])
    func int(value: Int) async throws {
        #expect(try await echo("SELECT \(value)::bigint") { row in try row.int(0) } == value)
    }

    @Test(arguments: [Int16.max, Int16.min])
    func smallint(value: Int16) async throws {
        #expect(try await echo("SELECT \(value)::smallint") { row in try row.int32(0) } == Int32(value))
    }

    @Test(
        arguments: [
            0, -0.0, 0.1, 1.0 / 3, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .leastNormalMagnitude,
            -.infinity, .infinity, .nan,
        ] as [Double]
    )
    func double(value: Double) async throws {
        let back = try await echo("SELECT \(value)::float8") { row in try row.double(0) }
        #expect(back.bitPattern == value.bitPattern || (back.isNaN && value.isNaN))
    }

    @Test(arguments: [true, false])
    func bool(value: Bool) async throws {
        #expect(try await echo("SELECT \(value)::boolean") { row in try row.bool(0) } == value)
    }

    @Test func allBytes() async throws {
        let value = (0...255).map { UInt8($0) }
        #expect(try await echo("SELECT \(value)::bytea") { row in try row.bytes(0) } == value)
    }

    @Test func noBytes() async throws {
        #expect(try await echo("SELECT \([UInt8]())::bytea") { row in try row.bytes(0) } == [])
    }

    @Test func lentBytesAreTheValue() async throws {
        let sum = try await echo("SELECT \([1, 2, 250] as [UInt8])::bytea") { row in
            try row.withBytes(0) { bytes in bytes.reduce(0) { $0 + Int($1) } }
        }
        #expect(sum == 253)
    }

    @Test func nullIsNil() async throws {
        let sql: SQL = """
            SELECT \(nil as String?)::text, \(nil as Int?)::bigint, NULL::float8, NULL::boolean, NULL::bytea,
                NULL::uuid, NULL::timestamptz, NULL::date, NULL::integer
            """
        let isNil = try await echo(sql) { row in
            [
                try row.optionalString(0) == nil, try row.optionalInt(1) == nil,
                try row.optionalInt64(1) == nil, try row.optionalDouble(2) == nil,
                try row.optionalBool(3) == nil, try row.optionalBytes(4) == nil,
                try row.optionalUUID(5) == nil, try row.optionalTimestampMs(6) == nil,
                try row.optionalDate(7) == nil, try row.optionalInt32(8) == nil, try row.isNull(0),
            ]
        }
        #expect(isNil == Array(repeating: true, count: 11))
    }

    @Test func optionalsCarryValues() async throws {
        let sql: SQL = "SELECT \(String?.some("a"))::text, \(Int?.some(7))::bigint, 'true'::boolean"
        let back = try await echo(sql) { row in
            let (text, number) = (try row.optionalString(0), try row.optionalInt(1))
            return "\(text ?? "") \(number ?? 0) \(try row.optionalBool(2) ?? false)"
        }
        #expect(back == "a 7 true")
    }

    @Test func uuidAsHalvesAndText() async throws {
        let text = "00112233-4455-6677-8899-aabbccddeeff"
        let back = try await echo("SELECT \(text.uppercased())::uuid") { row in
            let halves = try row.uuid(0)
            return (halves.high, halves.low, try row.uuidText(0), try row.string(0))
        }
        #expect(back == (0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF, text, text))
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-10-25T02:59:59.999+02:00", 1_792_889_999_999),
            ("1969-12-31T23:59:59.999Z", -1),
            ("1999-12-31T23:59:59.9999Z", 946_684_799_999),
            ("2000-01-01T00:00:00.000999Z", 946_684_800_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("294276-12-31T23:59:59.999Z", 9_224_318_015_999_999),
        ] as [(String, Int64)]
    )
    func timestamps(text: String, ms: Int64) async throws {
        #expect(try await echo("SELECT \(text)::timestamptz") { row in try row.timestampMs(0) } == ms)
    }

    @Test(
        arguments: [
            ("1970-01-01", 0), ("2000-01-01", 10_957), ("2024-02-29", 19_782), ("0001-01-01", -719_162),
        ] as [(String, Int32)]
    )
    func dates(text: String, days: Int32) async throws {
        #expect(try await echo("SELECT \(text)::date") { row in try row.date(0) } == days)
    }

    @Test(
        arguments: [
            0, -1, 1, 999, 951_782_399_999, 951_782_400_000, 1_792_889_999_999, -62_135_596_800_001,
            253_402_300_800_000, -210_866_803_200_000, 9_224_318_015_999_999,
        ] as [Int64]
    )
    func timestampParameters(ms: Int64) async throws {
        let sql: SQL = "SELECT \(PostgresTimestamp(ms: ms))::timestamptz"
        #expect(try await echo(sql) { row in try row.timestampMs(0) } == ms)
    }

    @Test func jsonbIsItsText() async throws {
        #expect(
            try await echo("SELECT \(#"{"b": [1]}"#)::jsonb") { row in try row.string(0) } == #"{"b": [1]}"#
        )
    }

    @Test func enumsAreText() async throws {
        try await withSchema { connection, _ in
            try await connection.execute("CREATE TYPE colour AS ENUM ('red', 'blue')")
            let back = try await connection.first("SELECT 'blue'::colour") { row in try row.string(0) }
            #expect(back == "blue")
        }
    }

    @Test(arguments: [
        "0", "1", "-1", "9999", "10000", "-9223372036854775808", "9223372036854775807", "100000000",
    ])
    func wholeNumericsAreInt64(text: String) async throws {
        #expect(try await echo("SELECT \(text)::numeric") { row in try row.int64(0) } == Int64(text))
    }

    @Test(arguments: [
        "0", "0.00", "-12.3450", "0.0001", "0.00010000001", "12345678901234567890.123456789", "NaN",
        "10000", "-0.5", "100000000.00000000", "Infinity", "-Infinity", "9223372036854775808",
    ])
    func numericsAreExactText(text: String) async throws {
        #expect(try await echo("SELECT \(text)::numeric") { row in try row.string(0) } == text)
    }

    @Test func numericAsDouble() async throws {
        #expect(try await echo("SELECT 12.375::numeric") { row in try row.double(0) } == 12.375)
    }

    @Test func arraysKeepEveryElement() async throws {
        let sent: [String?] = ["", "NULL", nil, #"a"b"#, #"c\d"#, "e,f", "{g}", " h ", "日本\n"]
        let connection = try await openConnection()
        let back = try await connection.rows(
            "SELECT e FROM unnest(\(sent)::text[]) WITH ORDINALITY AS t(e, n) ORDER BY n"
        ) { row in try row.optionalString(0) }
        #expect(back == sent)
    }

    @Test func arraysOfEachKind() async throws {
        let sql: SQL = """
            SELECT \([Int64.min, .max])::bigint[] = ARRAY[-9223372036854775808, 9223372036854775807]
                AND \([Int32.min, .max])::integer[] = ARRAY[-2147483648, 2147483647]
                AND \([1, 2])::bigint[] = ARRAY[1, 2]::bigint[]
                AND \([true, false])::boolean[] = ARRAY[true, false]
                AND \([0.5, -.infinity])::float8[] = ARRAY[0.5, '-Infinity']::float8[]
                AND \([[0, 255], []] as [[UInt8]])::bytea[] = ARRAY['\\x00ff', '']::bytea[]
                AND \([nil, 3] as [Int?])::integer[] IS NOT DISTINCT FROM ARRAY[NULL, 3]
                AND \([] as [String])::text[] = '{}'
            """
        #expect(try await echo(sql) { row in try row.bool(0) })
    }

    @Test func anArrayIsOneParameterHoweverLong() async throws {
        let numbers = Array(0..<70_000)
        let sql: SQL = "SELECT count(*), sum(n) FROM unnest(\(numbers)::bigint[]) AS n"
        let back = try await echo(sql) { row in (try row.int(0), try row.int(1)) }
        #expect(back == (70_000, 70_000 * 69_999 / 2))
    }
}
