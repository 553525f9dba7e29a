import Contracts
import Gzip
import HTTP
import Testing

@testable import ReaderCore

@Suite struct NegotiationTests {
    private func format(_ query: String, accept: String...) throws -> AnswerFormat {
        var query = try QueryParameters(query)
        return try AnswerFormat(&query, HTTPHeaders(accept.map { ("Accept", $0) }))
    }

    // MARK: format

    @Test(arguments: [
        "text/csv", "TEXT/CSV; header=present", "text/csv;q=0.9, application/json;q=0.8",
        "text/csv, */*;q=0.1",
        "application/json;q=0, text/csv;q=0.001",
    ])
    func tableWhereItIsMoreWelcome(accept: String) throws {
        #expect(try format("", accept: accept) == .csv)
    }

    @Test(arguments: [
        "", "*/*", "application/json", "text/csv, application/json", "text/csv;q=0.5, application/json",
        "text/html,application/xhtml+xml,*/*;q=0.8", "text/*", "text/csv;q=0", "text/csv;q=2", "text/csv;q=x",
        "image/png",
        ";;,,q=1",
    ])
    func jsonOtherwise(accept: String) throws {
        #expect(try format("", accept: accept) == .json)
    }

    @Test func acceptMayComeInSeveralLines() throws {
        #expect(try format("", accept: "application/json;q=0.2", "text/csv") == .csv)
    }

    @Test func parameterWinsOverTheHeader() throws {
        #expect(try format("format=json", accept: "text/csv") == .json)
        #expect(try format("format=csv", accept: "application/json") == .csv)
    }

    @Test(arguments: ["format=xml", "format=", "format=CSV", "format=csv&format=csv"])
    func otherFormatIsRefused(query: String) {
        let refused = refusal { () throws(ReadRefusal) in
            var query = try QueryParameters(query)
            _ = try AnswerFormat(&query, HTTPHeaders([]))
        }
        #expect(refused == ReadRefusal(.invalidRequest, field: "format"))
    }

    /// Whatever a client writes, nothing happens but a choice.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func anyHeaderIsReadWithoutAFault(seed: UInt64) throws {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let pieces = [
            "text/csv", "gzip", "*", "/", ";", "q=", "0", "1", ".", "9", ",", " ", "\t", "\"", "W/", "é", "-",
        ]
        let tag = EntityTag(of: [])
        for _ in 0..<2_000 {
            let header = (0..<next(12)).map { _ in pieces[next(pieces.count)] }.joined()
            _ = try format("", accept: header)
            _ = coding(header)
            #expect(!tag.isNamed(in: [header.filter { $0 != "*" }]))
        }
    }

    // MARK: coding

    private func coding(_ accept: String?) -> ContentCoding {
        ContentCoding(HTTPHeaders(accept.map { [("Accept-Encoding", $0)] } ?? []))
    }

    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "br, gzip", "gzip;q=0.001", "*", "deflate, gzip;q=1.0, *;q=0.5",
        "identity;q=0.5, gzip",
        "identity, gzip",
    ])
    func gzipWhereItIsTaken(accept: String) {
        #expect(coding(accept) == .gzip)
    }

    @Test(arguments: [
        nil, "", "br", "identity", "gzip;q=0", "*;q=0", "gzip;q=0, *", "identity, gzip;q=0.5", "gzip;q=1.5",
    ])
    func plainOtherwise(accept: String?) {
        #expect(coding(accept) == .identity)
    }

    @Test func shortAndIncompressibleBodiesStayPlain() throws {
        let text = [UInt8](repeating: 0x61, count: ContentCoding.bytesMin)
        let packed = ContentCoding.gzip.encode(text)
        #expect(packed.isPacked)
        #expect(try Gzip.inflate(packed.body, outputBytesMax: text.count) == text)
        #expect(!ContentCoding.gzip.encode(Array(text.dropLast())).isPacked)
        #expect(!ContentCoding.identity.encode(text).isPacked)
        var state: UInt64 = 1
        let noise = (0..<2000).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        #expect(!ContentCoding.gzip.encode(noise).isPacked)
        #expect(ContentCoding.gzip.encode(noise).body == noise)
    }
}
