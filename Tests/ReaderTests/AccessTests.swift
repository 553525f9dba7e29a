import Contracts
import Testing

@testable import ReaderCore

@Suite struct AccessTests {
    @Test(arguments: ["Bearer sk_abc", "bearer sk_abc", "BEARER sk_abc", "Bearer  sk_abc", " Bearer sk_abc "])
    func bearerKeyIsFound(header: String) {
        #expect(APIKeys.bearer(header) == "sk_abc")
    }

    @Test(
        arguments: [
            nil, "", "Bearer", "Bearer ", "sk_abc", "Basic sk_abc", "Bearer pk_abc", "Bearer SK_abc",
            "Bearersk_abc",
            "Bearer sk_abc sk_def", "Bearer, sk_abc", "Token sk_abc",
        ] as [String?]
    )
    func anythingElseIsNoKey(header: String?) {
        #expect(APIKeys.bearer(header) == nil)
    }

    @Test func keyIsKeptAsItsSHA256() {
        let digest = APIKeys.hash("sk_abc").map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        #expect(digest.joined() == "7c8d93f8ffb4cdb85b2a4b0c10886a66959da2eb67707b1c54718850a56d158c")
    }

    @Test func keyOfOneAppSeesThatAppOnly() {
        let (one, other) = (UUID128(high: 1, low: 1), UUID128(high: 1, low: 2))
        #expect(APIAccess(scopes: [.read], appID: one).sees(one))
        #expect(!APIAccess(scopes: [.read], appID: one).sees(other))
        #expect(APIAccess(scopes: [.read], appID: nil).sees(other))
    }
}

@Suite struct ReadRouteTests {
    private let id = "0199d5f0-0000-7000-8000-000000000002"

    private func app() throws -> UUID128 { try #require(UUID128(id)) }

    @Test func operations() throws {
        #expect(try ReadRoute.find("/v1/apps") == .apps)
        #expect(try ReadRoute.find("/v1/apps/\(id)") == .app(app()))
        #expect(try ReadRoute.find("/v1/apps/\(id)/audience/summary") == .summary(app()))
        #expect(try ReadRoute.find("/v1/apps/\(id)/audience/timeseries") == .timeseries(app()))
    }

    @Test func upperCaseIDIsTheSameApp() throws {
        #expect(try ReadRoute.find("/v1/apps/\(id.uppercased())") == .app(app()))
    }

    @Test func encodedLettersAreTheSamePath() throws {
        #expect(try ReadRoute.find("/v1/%61pps") == .apps)
    }

    @Test(arguments: ["", "nope", "..", "%2E%2E", "0199d5f0000070008000000000000002", "%20"])
    func idThatIsNoUUIDNamesNoApp(id: String) throws {
        #expect(try ReadRoute.find("/v1/apps/\(id)") == .app(nil))
        #expect(try ReadRoute.find("/v1/apps/\(id)/audience/summary") == .summary(nil))
    }

    @Test(arguments: [
        "/", "", "/v1", "/v2/apps", "/V1/apps", "/v1/Apps", "//v1/apps", "/v1//apps", "/v1/apps%2F",
        "/v1/apps/x/audience", "/v1/apps/x/audience/summary/", "/v1/apps/x/audience/Summary",
        "/v1/apps/x/audience/../audience/summary", "/v1/./apps",
    ])
    func nothingIsFoundElsewhere(path: String) throws {
        #expect(try ReadRoute.find(path) == nil)
    }

    /// A path is decoded once, after it was divided: `%2F` is a slash within a name.
    @Test(arguments: ["audience%2Fsummary", "audience%2fsummary", "audience%252Fsummary"])
    func encodedSlashDividesNothing(rest: String) throws {
        #expect(try ReadRoute.find("/v1/apps/\(id)/\(rest)") == nil)
        #expect(try ReadRoute.find("/v1%2Fapps") == nil)
    }

    @Test(arguments: ["/v1/apps/%zz", "/v1/apps/%", "/v1/apps/%00", "/v1/apps/%ff", "/%"])
    func pathThatIsNoTextIsRefused(path: String) {
        #expect(
            refusal { () throws(ReadRefusal) in _ = try ReadRoute.find(path) }
                == ReadRefusal(.invalidRequest, field: "path")
        )
    }
}
