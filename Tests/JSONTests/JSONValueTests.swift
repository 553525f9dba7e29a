import JSON
import Testing

@Suite struct JSONValueTests {
    private func parse<Result>(_ text: String, _ read: (JSONValue) throws -> Result) throws -> Result {
        try JSONParser().withDocument(Array(text.utf8), read)
    }

    @Test func unescapesStrings() throws {
        let text = #"["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","é😀"]"#
        let strings = try parse(text) { $0.elements.map(\.string) }
        #expect(strings == ["\"\\/\u{8}\u{C}\n\r\té😀", "é😀"])
    }

    @Test func keepsNulInsideAString() throws {
        #expect(try parse(#"["4\u00002"]"#) { $0.elements.map { Array($0.utf8) } } == [[0x34, 0, 0x32]])
    }

    @Test func lendsUTF8OnlyOfStrings() throws {
        let counts = try parse(#"["ab",1,{}]"#) { $0.elements.map { $0.withUTF8 { $0.count } } }
        #expect(counts == [2, nil, nil])
    }

    @Test func keepsRepeatedNamesInOrder() throws {
        let members = try parse(#"{"user_id":"42","x":{"user_id":1},"user_\u0069d":"jo"}"#) { root in
            root.members.map { (String(decoding: $0.key, as: UTF8.self), $0.value.string) }
        }
        #expect(members.map(\.0) == ["user_id", "x", "user_id"])
        #expect(members.map(\.1) == ["42", nil, "jo"])
    }

    @Test func subscriptTakesTheFirstMatch() throws {
        let read = try parse(#"{"a":1,"b":2,"a":3}"#) { root in
            (root["a"]?.int64, root["c"]?.int64, root["b" as String]?.int64)
        }
        #expect(read.0 == 1)
        #expect(read.1 == nil)
        #expect(read.2 == 2)
    }

    @Test func walksEveryKindOfChild() throws {
        let text = #"{"a":[1,[],{},2.5,"s",true,null,[[3]]],"b":18446744073709551615,"c":false}"#
        let read = try parse(text) { root in
            (root.count, root["a"]?.elements.map(\.kind), root["b"]?.double, root["c"]?.bool)
        }
        #expect(read.0 == 3)
        #expect(read.1 == [.int, .array, .object, .double, .string, .bool, .null, .array])
        #expect(read.2 == 18_446_744_073_709_551_616)
        #expect(read.3 == false)
    }

    @Test func scalarsHaveNoChildren() throws {
        let counts = try parse(#"[1,1.5,"x",true,null]"#) { root in
            root.elements.map { $0.count + $0.elements.map(\.kind).count + $0.members.map(\.key).count }
        }
        #expect(counts == [0, 0, 0, 0, 0])
    }

    @Test func visitorsPassTheirErrorOn() throws {
        struct Stop: Error, Equatable { let at: Int64 }
        _ = try parse("[1,2,3]") { root in
            #expect(throws: Stop(at: 2)) {
                try root.forEachElement { if $0.int64 == 2 { throw Stop(at: 2) } }
            }
        }
    }

    @Test func countsMoreElementsThanTheTapeCanSay() throws {
        let count = 0xFF_FFFF + 2
        var text = [UInt8](repeating: UInt8(ascii: ","), count: 2 * count + 1)
        for index in 0..<count { text[2 * index + 1] = UInt8(ascii: "1") }
        text[0] = UInt8(ascii: "[")
        text[2 * count] = UInt8(ascii: "]")
        #expect(try JSONParser().withDocument(text) { $0.count } == count)
    }
}
