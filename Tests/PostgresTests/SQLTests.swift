import Postgres
import Testing

@Suite struct SQLTests {
    @Test func valuesTravelAsParameters() {
        let name = "x'; DROP TABLE apps; --"
        let sql: SQL = "SELECT id FROM apps WHERE name = \(name) AND limit_max > \(5)"

        #expect(sql.text == "SELECT id FROM apps WHERE name = $1 AND limit_max > $2")
        #expect(sql.values == [name, "5"])
    }

    @Test func joinedStatementsCountTheirParametersThrough() {
        let sql: SQL = "SELECT \(1), \(2)" + " WHERE \(3) = \(4)"

        #expect(sql.text == "SELECT $1, $2 WHERE $3 = $4")
        #expect(sql.values == ["1", "2", "3", "4"])
    }

    @Test func fragmentsBringTheirValues() {
        let condition: SQL = "app = \(7)"
        let sql: SQL = "SELECT \(1) WHERE \(condition) AND day = \("d")"

        #expect(sql.text == "SELECT $1 WHERE app = $2 AND day = $3")
        #expect(sql.values == ["1", "7", "d"])
    }

    @Test func nilIsNull() {
        let sql: SQL = "SELECT \(nil as String?), \(Int?.some(3))"
        #expect(sql.values == [nil, "3"])
    }

    @Test func unsafeTextIsTheStatement() {
        #expect(SQL(unsafe: "SELECT * FROM events_202601").text == "SELECT * FROM events_202601")
    }

    @Test(
        arguments: [
            ([], "{}"),
            ([""], #"{""}"#),
            (["a", nil, "NULL"], #"{"a",NULL,"NULL"}"#),
            (["a,b", "{c}", #"d"e"#, #"f\g"#], #"{"a,b","{c}","d\"e","f\\g"}"#),
        ] as [([String?], String)]
    )
    func arraysAreQuoted(elements: [String?], text: String) {
        #expect(elements.sqlText == text)
    }

    @Test func arraysOfNumbersAreBare() {
        #expect([1, -2, Int64.max].sqlText == "{1,-2,9223372036854775807}")
    }

    @Test func bytesAreHexadecimal() {
        #expect([0x00, 0x7F, 0xFF, 0xA0].sqlText(as: UInt8.self) == #"\x007fffa0"#)
    }
}

extension Array where Element == UInt8 {
    fileprivate func sqlText(as _: UInt8.Type) -> String? { sqlText }
}
