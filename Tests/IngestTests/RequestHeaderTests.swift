import Contracts
import HTTP
import Testing

@testable import IngestCore

@Suite struct ContentEncodingTests {
    private func encoding(_ values: [String]) throws(BatchRefusal) -> RequestChecks.Encoding {
        try RequestChecks.encoding(HTTPHeaders(values.map { ("Content-Encoding", $0) }))
    }

    @Test(arguments: [[], [""], ["identity"], ["Identity"], [" identity "]])
    func noneOrIdentityIsThePlainBody(values: [String]) throws {
        #expect(try encoding(values) == .identity)
    }

    @Test(arguments: ["gzip", "GZIP", "Gzip", " gzip ", "\tgzip", "x-gzip", "X-GZIP"])
    func gzipIsReadInAnyCase(value: String) throws {
        #expect(try encoding([value]) == .gzip)
    }

    @Test(arguments: [
        ["br"], ["deflate"], ["zstd"], ["compress"], ["gzip, gzip"], ["gzip,identity"], ["identity, gzip"],
        ["*"],
        ["gzip;q=1"], ["gzip", "gzip"], ["identity", "identity"], ["gzip", "identity"], ["", "gzip"], [","],
        ["\"gzip\""], ["gzip\u{A0}"],
    ])
    func everythingElseIsRefused(values: [String]) {
        #expect(throws: BatchRefusal(.unsupportedContentEncoding)) { try encoding(values) }
    }
}

@Suite struct ContentTypeTests {
    private func check(_ values: [String]) throws(BatchRefusal) {
        try RequestChecks.mediaType(HTTPHeaders(values.map { ("Content-Type", $0) }))
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "text/plain", "text/plain;charset=UTF-8", "TEXT/PLAIN ; Charset=\"utf-8\"",
        "text/plain; charset=us-ascii",
        "application/json; odata=verbose", "application/json;", " application/json ",
        "text/plain;charset=utf8",
    ])
    func jsonAndPlainTextAreTaken(value: String) {
        #expect(throws: Never.self) { try check([value]) }
    }

    @Test(arguments: [
        [], [""], ["application/x-www-form-urlencoded"], ["text/html"], ["application/jsonp"], ["json"],
        ["application/json, text/plain"], ["text/plain; charset=iso-8859-1"],
        ["application/json; charset=utf-16"],
        ["application/json", "application/json"], ["application/json", "text/plain"], [";application/json"],
        ["multipart/form-data; boundary=x"], ["application/json; charset=utf-8; charset=latin1"],
        ["application"],
    ])
    func everythingElseIsRefused(values: [String]) {
        #expect(throws: BatchRefusal(.unsupportedMediaType)) { try check(values) }
    }

    @Test func aBeaconIsTaken() {
        let batch = BatchText.of([EventText.start()]) { $0["app_key"] = quoted(PipelineWorld.key) }
        let beacon = PostText(batch).with("X-App-Key", nil).with("Content-Type", "text/plain;charset=UTF-8")

        #expect(PipelineWorld().refusal(of: beacon) == nil)
    }
}
