import JSON
import Testing

@Suite struct JSONParserTests {
    private func parse<Result>(
        _ text: String,
        depthMax: Int = 64,
        _ read: (JSONValue) throws -> Result
    ) throws -> Result {
        try JSONParser(depthMax: depthMax).withDocument(Array(text.utf8), read)
    }

    private func error(of bytes: [UInt8]) -> JSONError? {
        #expect(throws: JSONError.self) { try JSONParser().withDocument(bytes) { _ in } }
    }

    static let kinds: [(String, JSONValue.Kind)] = [
        ("{}", .object), ("[]", .array), ("\"\"", .string), ("-1", .int), ("9223372036854775808", .uint),
        ("0.5", .double), ("true", .bool), ("false", .bool), ("null", .null),
    ]

    @Test(arguments: kinds)
    func knowsTheKind(text: String, kind: JSONValue.Kind) throws {
        #expect(try parse(text) { $0.kind } == kind)
        #expect(try parse("[\(text)]") { $0.elements.map(\.kind) } == [kind])
    }

    static let integers: [(String, Int64?)] = [
        ("0", 0), ("-0", 0), ("-0.0", 0), ("1e3", 1000), ("1000.0", 1000), ("86400000.0", 86_400_000),
        ("-1", -1), ("0.5", nil), ("1e-400", 0), ("9223372036854775807", .max),
        ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("18446744073709551615", nil), ("9007199254740992.0", 1 << 53),
        ("9007199254740994.0", nil), ("1e18", nil), ("0e400", 0), ("0.0e99999999999999999999", 0),
        ("\"1000\"", nil), ("null", nil), ("true", nil), ("[1000]", nil), ("{}", nil),
    ]

    @Test(arguments: integers)
    func readsWholeNumbersHoweverWritten(text: String, value: Int64?) throws {
        #expect(try parse("[\(text)]") { $0.elements.map(\.int64) } == [value])
    }

    static let beyondRange = [
        "1e400", "-1e400", "1.0E+400", "1e99999999999999999999", "18446744073709551616",
        "20000000000000000000", "-9223372036854775809", "100000000000000000000000", "0.001e312",
        "1.7976931348623159e308", "179769313486231590000e289", "1" + String(repeating: "0", count: 309),
    ]

    @Test(arguments: beyondRange)
    func aNumberBeyondRangeSinksNoNeighbour(text: String) throws {
        let read = try parse("{\"a\":1,\"b\":\(text),\"c\":[\(text) ,3]}") { root in
            (root["a"]?.int64, root["b"]?.kind, root["b"]?.count, root["c"]?.elements.map(\.int64))
        }
        #expect(read.0 == 1)
        #expect(read.1 == .array)
        #expect(read.2 == 0)
        #expect(read.3 == [nil, 3])
    }

    @Test(arguments: [
        "1.7976931348623157e308", "0.0000001e315",
        "17976931348623157" + String(repeating: "0", count: 292) + ".0",
        "5e-324", "1e-99999999999999999999",
    ])
    func numbersAtTheEdgeStayBesideOneBeyond(text: String) throws {
        #expect(try parse("[\(text),1e400]") { $0.elements.map(\.double) } == [Double(text), nil])
    }

    @Test func digitsInsideStringsAreLeftAlone() throws {
        let text = #"["a\"1e400","1e400\\",1e400,"18446744073709551616"]"#
        let strings = try parse(text) { $0.elements.map(\.string) }
        #expect(strings == ["a\"1e400", "1e400\\", nil, "18446744073709551616"])
    }

    static let surrogates: [(String, String)] = [
        (#"\ud83d"#, "\0"), (#"a\ud83dz"#, "a\0z"), (#"\ude00"#, "\0"), (#"\ud83d\u0041"#, "\0A"),
        (#"\ud83d\ud83d\ude00"#, "\0😀"), (#"\ud83d\\ude00"#, "\0\\ude00"), (#"\\ud83d\ud83d"#, "\\ud83d\0"),
        (#"\ude00\ud83d"#, "\0\0"), (#"\uD83D\n"#, "\0\n"), (#"\ud83d\ude00"#, "😀"),
    ]

    @Test(arguments: surrogates)
    func anUnpairedSurrogateReadsAsNul(escaped: String, value: String) throws {
        #expect(try parse("[\"\(escaped)\",7]") { $0.elements.map(\.string) } == [value, nil])
    }

    @Test func bothRepairsWorkTogether() throws {
        let read = try parse(#"{"\ud83d":1e400}"#) { $0.members.map { (Array($0.key), $0.value.kind) } }
        #expect(read.map(\.0) == [[0]])
        #expect(read.map(\.1) == [.array])
    }

    static let failures: [(String, JSONError)] = [
        ("", .empty), (" \n\t", .empty), ("\u{FEFF}", .empty), ("[1,]", .syntax), ("[01]", .syntax),
        ("[1.]", .syntax), ("[-]", .syntax), ("[+1]", .syntax), ("[.5]", .syntax), ("[1e]", .syntax),
        ("[NaN]", .syntax), ("[Infinity]", .syntax), ("{\"a\":1", .syntax), ("\"abc", .syntax),
        ("[1}", .syntax),
        ("[\"\u{1}\"]", .syntax), (#"["\x"]"#, .syntax), (#"["\ud83"]"#, .syntax), ("[1e400x]", .syntax),
        ("[1e400.5]", .syntax), ("[01e400]", .syntax), ("[1e400,01]", .syntax), ("{1e400:1}", .syntax),
        (#"[\ud83d]"#, .syntax), ("{}{}", .trailing), ("[1] [2]", .trailing), ("{\"a\":\"}\"} x", .trailing),
        ("[1e400] [2]", .trailing), ("]", .syntax), ("nul", .syntax), ("'a'", .syntax),
    ]

    @Test(arguments: failures)
    func refuses(text: String, expected: JSONError) {
        #expect(error(of: Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0xBD], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]]
            as [[UInt8]]
    )
    func refusesBytesThatAreNotUTF8(bytes: [UInt8]) {
        #expect(error(of: Array("[\"".utf8) + bytes + Array("\"]".utf8)) == .utf8)
    }

    @Test func refusesUTF16() {
        let bytes: [UInt8] = [0xFF, 0xFE] + "{}".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(error(of: bytes) == .utf8)
    }

    @Test func skipsAByteOrderMark() throws {
        #expect(try parse("\u{FEFF}{\"a\":1}") { $0["a"]?.int64 } == 1)
    }

    @Test func allowsBlanksAfterTheDocument() throws {
        #expect(try parse("[1] \r\n\t\n") { $0.count } == 1)
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }

    @Test(arguments: [1, 20, 64])
    func acceptsDepth(depth: Int) throws {
        #expect(try parse(nested(depth)) { $0.kind } == .array)
    }

    @Test(arguments: [65, 100_000])
    func refusesDepth(depth: Int) {
        #expect(error(of: Array(nested(depth).utf8)) == .depth)
    }

    @Test func aRepairedNumberAddsNoDepth() throws {
        let text = nested(64).replacing("1", with: "1e400")
        #expect(try parse(text) { $0.kind } == .array)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
    func unclosedBracketsAreAnError(text: String) {
        let error = error(of: Array(String(repeating: text, count: 100_000).utf8))
        #expect(error == .depth || error == .syntax)
    }

    @Test func refusesMoreBytesThanAllowed() throws {
        let parser = JSONParser(bytesMax: 8)
        #expect(try parser.withDocument(Array("[123456]".utf8)) { $0.count } == 1)
        #expect(throws: JSONError.capacity) { try parser.withDocument(Array("[1234567]".utf8)) { _ in } }
    }

    @Test func aParserSurvivesErrorsAndGrows() throws {
        let parser = JSONParser()
        for round in 1...40 {
            #expect(throws: JSONError.self) { try parser.withDocument(Array("[1e400,,]".utf8)) { _ in } }
            let count = round * round * 17
            let text = "[" + (0..<count).map(String.init).joined(separator: ",") + "]"
            let sum = try parser.withDocument(Array(text.utf8)) { root in
                root.elements.reduce(0) { $0 + ($1.int64 ?? -1) }
            }
            #expect(sum == Int64(count) * Int64(count - 1) / 2)
        }
    }

    @Test func theBodysErrorPassesThrough() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try JSONParser().withDocument(Array("1".utf8)) { _ in throw Refused() }
        }
    }
}
