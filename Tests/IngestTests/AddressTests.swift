import Contracts
import Forwarding
import Foundation
import GeoIP
import HTTP
import Testing

@testable import IngestCore

@Suite struct ContextAddressTests {
    private func event(_ json: String) -> ObjectText {
        EventText.start { $0["context"] = ObjectText([("ip", json)]).json }
    }

    @Test(arguments: ["203.0.113.7", "0.0.0.0", "2001:db8::1", "::1", "::ffff:81.2.69.142", "FE80::1"])
    func anAddressIsTaken(text: String) throws {
        let address = try #require(IPAddress(text))

        #expect(try context(of: event(quoted(text)))?.address == .given(address))
    }

    @Test func noneWantsNoPlace() throws {
        #expect(try context(of: event(quoted("none")))?.address == ClientAddress.none)
    }

    @Test func noneIsNoMistake() throws {
        #expect(try judge(BatchText.of([event(quoted("none"))])).warnings.isEmpty)
    }

    static let wrong = [
        quoted("999.1.1.1"), quoted("1.2.3"), quoted("01.2.3.4"), quoted("1.2.3.4:80"), quoted("[::1]"),
        quoted(" 1.2.3.4"), quoted("None"), quoted("localhost"), quoted("1.2.3.4, 5.6.7.8"),
        quoted("fe80::1%eth0"),
        #""1.2.3.4\u0000""#, "1", "16909060", "true", "[]", "{}", "1e400",
    ]

    @Test(arguments: wrong) func anythingElseIsAcceptedWithAWarning(json: String) throws {
        let verdict = try judge(BatchText.of([event(json)]))

        #expect(verdict.acceptedCount == 1)
        #expect(verdict.warningCodes == [.geoIPInvalid])
    }

    @Test(arguments: wrong) func anythingElseHasNoPlace(json: String) throws {
        #expect(try context(of: event(json))?.address == ClientAddress.none)
    }

    @Test func anEventMayGiveAnAddressAfterItsBatchsNone() throws {
        let resolved = try context(of: event(quoted("81.2.69.142"))) { $0["context"] = #"{"ip":"none"}"# }

        #expect(resolved?.address == IPAddress("81.2.69.142").map { .given($0) })
    }

    @Test func anEventMayOverrideABadAddressOfItsBatch() throws {
        let events = [event(quoted("81.2.69.142")), EventText.start(2)]

        let verdict = try judge(BatchText.of(events) { $0["context"] = #"{"ip":"x"}"# })

        #expect(verdict.warnings.map(\.index) == [1])
    }
}

@Suite struct ClientAddressTests {
    private func address(peer: String, trusted: [String] = [], forwarded: [String] = []) throws -> String? {
        let locator = Geolocator(
            source: GeoSource(database: nil),
            trustedProxies: TrustedProxies(trusted.compactMap { IPNetwork($0) })
        )
        let headers = forwarded.map { ("X-Forwarded-For", $0) } + [("Forwarded", "for=192.0.2.60")]
        let head = HTTPRequestHead(
            method: "POST",
            path: "/v1/events",
            headers: HTTPHeaders(headers),
            peer: try #require(HTTPPeer(peer))
        )
        return locator.clientAddress(of: head)?.description
    }

    @Test func directlyThePeerCounts() throws {
        #expect(try address(peer: "192.0.2.10", forwarded: ["203.0.113.7"]) == "192.0.2.10")
    }

    @Test func aPeerThatIsNotTrustedIsNotBelieved() throws {
        let address = try address(peer: "192.0.2.10", trusted: ["10.0.0.0/8"], forwarded: ["203.0.113.7"])

        #expect(address == "192.0.2.10")
    }

    @Test(arguments: [
        (["203.0.113.7, 192.0.2.10"], "192.0.2.10"),
        (["203.0.113.7", "192.0.2.10"], "192.0.2.10"),
        (["192.0.2.10,10.0.0.9"], "192.0.2.10"),
        (["203.0.113.7,192.0.2.10, 10.0.0.9,10.0.0.8"], "192.0.2.10"),
        ([" 192.0.2.10 ,"], "192.0.2.10"),
        (["192.0.2.10:5678"], "192.0.2.10"),
        (["\"[2001:db8::7]:443\""], "2001:db8::7"),
        (["::ffff:192.0.2.10"], "192.0.2.10"),
        (["<script>, 192.0.2.10"], "192.0.2.10"),
        (["10.0.0.9"], "10.0.0.1"),
        ([""], "10.0.0.1"),
        ([String](), "10.0.0.1"),
    ])
    func behindAProxyTheRightMostUntrustedHopCounts(forwarded: [String], expected: String) throws {
        #expect(try address(peer: "10.0.0.1", trusted: ["10.0.0.0/8"], forwarded: forwarded) == expected)
    }

    @Test(arguments: ["unknown", "192.0.2.10, 999.1.1.1", "192.0.2.10, _hidden", "192.0.2.10, jo"])
    func aHopThatIsNoAddressLeavesNone(forwarded: String) throws {
        #expect(try address(peer: "10.0.0.1", trusted: ["10.0.0.0/8"], forwarded: [forwarded]) == nil)
    }

    @Test func aProxyMayTalkIPv6() throws {
        let address = try address(
            peer: "fd00::1",
            trusted: ["fd00::/8"],
            forwarded: ["203.0.113.7, 2001:db8::9"]
        )

        #expect(address == "2001:db8::9")
    }

    @Test func theHeadersNameIsNotCaseSensitive() throws {
        let locator = Geolocator(
            source: GeoSource(database: nil),
            trustedProxies: TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        )
        let head = HTTPRequestHead(
            method: "POST",
            path: "/v1/events",
            headers: HTTPHeaders([("x-forwarded-for", "192.0.2.10")]),
            peer: try #require(HTTPPeer("10.0.0.1"))
        )

        #expect(locator.clientAddress(of: head)?.description == "192.0.2.10")
    }
}

@Suite struct GeolocatorTests {
    static let path =
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        + "/GeoIPTests/Fixtures/city.mmdb"

    private func place(_ address: ClientAddress, peer: String = "81.2.69.142") throws -> String {
        let source = GeoSource(database: try GeoDatabase(path: Self.path))
        let locator = Geolocator(source: source, trustedProxies: TrustedProxies())
        let resolved = ResolvedContext(
            context: EventContext(environment: .production, platform: .ios),
            address: address,
            warnings: []
        )
        let head = HTTPRequestHead(method: "POST", path: "/", peer: try #require(HTTPPeer(peer)))
        let context = try #require(locator.locate([resolved], of: head).first)
        return "\(context.country ?? "-") \(context.city ?? "-")"
    }

    @Test func theConnectionsAddressIsLookedUp() throws {
        #expect(try place(.connection) == "GB London")
    }

    @Test func theContextsAddressWins() throws {
        #expect(try place(.given(try #require(IPAddress("89.160.20.128")))) == "SE Linköping")
    }

    @Test func noneHasNoPlaceWhateverTheConnection() throws {
        #expect(try place(.none) == "- -")
    }

    @Test func aPrivateConnectionHasNoPlace() throws {
        #expect(try place(.connection, peer: "10.1.2.3") == "- -")
    }

    @Test func aPrivateAddressOfTheContextHasNoPlaceEither() throws {
        #expect(try place(.given(try #require(IPAddress("192.168.0.1")))) == "- -")
    }

    @Test func aCountryAloneIsAnAnswer() throws {
        #expect(try place(.given(try #require(IPAddress("67.43.156.1")))) == "BT -")
    }

    @Test func withoutADatabaseThereIsNoPlace() throws {
        let locator = Geolocator(source: GeoSource(database: nil), trustedProxies: TrustedProxies())
        let resolved = try #require(try context(of: EventText.start()))
        let head = HTTPRequestHead(method: "POST", path: "/", peer: try #require(HTTPPeer("81.2.69.142")))

        #expect(locator.locate([resolved], of: head) == [resolved.context])
    }
}
