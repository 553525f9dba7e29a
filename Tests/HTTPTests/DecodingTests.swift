import HTTP
import Testing

@Suite struct DecodingTests {
    @Test func queryIsDecodedOnce() throws {
        let query = try HTTPQuery(raw: "a=1&b=%2520&a=x+y%2B&empty=&bare&=nameless&&c=d=e%26")

        #expect(query.pairs.map(\.name) == ["a", "b", "a", "empty", "bare", "", "c"])
        #expect(query.pairs.map(\.value) == ["1", "%20", "x y+", "", "", "nameless", "d=e&"])
    }

    @Test func repeatedParametersKeepTheirOrder() throws {
        let query = try HTTPQuery(raw: "a=2&b=3&a=1")

        #expect(query["a"] == "2")
        #expect(query.values("a") == ["2", "1"])
        #expect(query["c"] == nil)
    }

    @Test(arguments: [nil, ""]) func noQueryHasNoParameters(raw: String?) throws {
        #expect(try HTTPQuery(raw: raw).pairs.isEmpty)
    }

    @Test(arguments: ["a=%", "a=%1", "a=%zz", "a=%1g", "%g1", "a=%%30"])
    func brokenEscapeIsRefused(raw: String) {
        #expect(throws: HTTPDecodingError.escapeInvalid) { try HTTPQuery(raw: raw) }
    }

    @Test(arguments: ["a=%ff", "a=%c3", "a=%C0%80", "a=%ed%a0%80"])
    func bytesThatAreNotUTF8AreRefused(raw: String) {
        #expect(throws: HTTPDecodingError.notUTF8) { try HTTPQuery(raw: raw) }
    }

    @Test func nulIsRefused() {
        #expect(throws: HTTPDecodingError.nul) { try HTTPQuery(raw: "a=%00") }
        #expect(throws: HTTPDecodingError.nul) { try HTTPPath.segments("/a%00") }
    }

    @Test(arguments: [
        ("/", []), ("", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
        ("/a%2Fb/..%2F/../.", ["a/b", "../", "..", "."]), ("/a+b%20c", ["a+b c"]), ("/%C3%A9", ["é"]),
        ("*", ["*"]),
    ])
    func segmentsAreDecodedButNotNormalised(raw: String, expected: [String]) throws {
        #expect(try HTTPPath.segments(raw) == expected)
    }
}

@Suite struct HeaderTests {
    let headers = HTTPHeaders([("Accept", "a"), ("X-Id", ""), ("accept", "b")])

    @Test func firstValueIsFoundWhateverItsCase() {
        #expect(headers["ACCEPT"] == "a")
        #expect(headers["x-id"] == "")
        #expect(headers["x-i"] == nil)
    }

    @Test func onlyLettersHaveCase() {
        #expect(HTTPHeaders([("X@", "1")])["X`"] == nil)
        #expect(HTTPHeaders([("[", "1")])["{"] == nil)
    }

    @Test func allValuesKeepTheirOrder() {
        #expect(headers.values("Accept") == ["a", "b"])
        #expect(headers.pairs.map(\.name) == ["Accept", "X-Id", "accept"])
    }
}

@Suite struct PeerTests {
    @Test(arguments: ["192.0.2.1", "::1", "2001:db8::1", "255.255.255.255", "fe80::ff:fe00:1"])
    func addressIsReadAndWritten(text: String) {
        #expect(HTTPPeer(text)?.description == text)
    }

    @Test func mappedAddressIsTheIPv4Address() {
        #expect(HTTPPeer("::ffff:192.0.2.1") == HTTPPeer("192.0.2.1"))
        #expect(HTTPPeer("192.0.2.1")?.isIPv4 == true)
        #expect(HTTPPeer("::192.0.2.1")?.isIPv4 == false)
    }

    @Test func bytesAreInNetworkOrder() {
        #expect(HTTPPeer("1.2.3.4")?.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4])
        #expect(HTTPPeer("2001:db8::f")?.bytes.prefix(4) == [0x20, 0x01, 0x0D, 0xB8])
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.256", "host", "1.2.3.4 "])
    func otherTextIsNoAddress(text: String) {
        #expect(HTTPPeer(text) == nil)
    }
}
