import JSON
import Testing

@Suite struct JSONWriterTests {
    private func write(_ build: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        build(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func placesCommas() {
        let text = write {
            $0.beginObject()
            $0.key("a")
            $0.beginArray()
            $0.int64(1)
            $0.beginObject()
            $0.endObject()
            $0.beginArray()
            $0.endArray()
            $0.null()
            $0.endArray()
            $0.key("b" as String)
            $0.bool(true)
            $0.key("c")
            $0.string("x" as String)
            $0.key("d")
            $0.raw(Array("[2]".utf8))
            $0.endObject()
        }
        #expect(text == #"{"a":[1,{},[],null],"b":true,"c":"x","d":[2]}"#)
    }

    @Test(arguments: 0..<20)
    func escapesWhereverItStands(offset: Int) {
        let before = String(repeating: "é", count: offset / 2) + String(repeating: "a", count: offset % 2)
        let text = write { $0.string(before + "\"\\\u{1F}\n/\u{7F}é😀" + before) }
        #expect(text == "\"" + before + #"\"\\\u001f\u000a/"# + "\u{7F}é😀" + before + "\"")
    }

    @Test func escapesExactlyWhatItMust() {
        for byte in UInt8(0)...0x7F {
            let escaped = write { $0.string(String(UnicodeScalar(byte))) }.utf8.count > 3
            #expect(escaped == (byte < 0x20 || byte == 0x22 || byte == 0x5C), "\(byte)")
        }
    }

    @Test(arguments: [0, 1, -1, 10, 1_234_567_890, .max, .min] as [Int64])
    func writesIntegers(value: Int64) {
        #expect(write { $0.int64(value) } == "\(value)")
    }

    static let doubles: [(Double, String)] = [
        (0, "0"), (-0.0, "0"), (1, "1"), (-12.5, "-12.5"), (0.1, "0.1"), (1e-5, "0.00001"),
        (100_000, "100000"),
        (1e21, "1000000000000000000000.0"), (1.5e17, "150000000000000000.0"), (1.0 / 3, "0.3333333333333333"),
        (123_456.789, "123456.789"), (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
        (9_007_199_254_740_992, "9007199254740992"), (-1e-7, "-0.0000001"), (1.25e-10, "0.000000000125"),
    ]

    @Test(arguments: doubles)
    func writesDoublesInFixedPoint(value: Double, text: String) {
        #expect(write { $0.double(value) } == text)
    }

    /// Goal: no double changes on its way through text, and none gets an exponent.
    @Test(arguments: UInt64(1)...20)
    func doublesRoundTrip(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        for _ in 0..<500 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let text = write { $0.double(value) }
            #expect(Double(text) == value)
            #expect(!text.contains("e"))
            #expect(
                try JSONParser().withDocument(Array("[\(text)]".utf8)) { $0.elements.map(\.double) } == [
                    value
                ]
            )
        }
    }

    /// Goal: every string survives writer and parser.
    @Test(arguments: UInt64(1)...50)
    func stringsRoundTrip(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let scalars = (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in
            UnicodeScalar(
                UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7F : 0x10FFFF), using: &random)
            )
        }
        let value = String(String.UnicodeScalarView(scalars))
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(value)
        writer.endArray()
        let read = try JSONParser().withDocument(writer.bytes) { $0.elements.map { Array($0.utf8) } }
        #expect(read == [Array(value.utf8)])
    }

    @Test func startsAfreshAfterRemoveAll() {
        let text = write {
            $0.int64(1)
            $0.removeAll()
            $0.int64(2)
        }
        #expect(text == "2")
    }
}

struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
