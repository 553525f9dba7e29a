import HTTP
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct CrossSiteTests {
    private func changes(_ app: String) -> [(method: String, target: String)] {
        SessionTests.guarded.filter { $0.method != "GET" }.map {
            ($0.method, "/console/v1/" + SessionTests.target($0.path, app: app))
        } + [("POST", "/v1/apps/\(app)/deletion-requests")]
    }

    @Test func noChangeIsMadeWithoutTheSessionsToken() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let other = try await world.member()
            let before = try await world.audit(member).count
            for token in [nil, "", "wrong", other.csrfToken, member.csrfToken + "x"] {
                for (method, target) in changes(app) {
                    var headers = [("Cookie", member.cookie)]
                    if let token { headers.append(("X-CSRF-Token", token)) }
                    let answer = try await world.send(method, target, "{}", headers: headers)
                    #expect(answer.status == 403 && answer.errorCode == "forbidden", "\(method) \(target)")
                }
            }
            #expect(try await world.audit(member).count == before)
        }
    }

    @Test(arguments: [
        ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "https://console.example"),
        ("Origin", "http://console.example.evil.example"), ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ])
    func pageOfAnotherOriginChangesNothing(name: String, value: String) async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            for (method, target) in changes(app) {
                let answer = try await world.send(method, target, "{}", as: member, headers: [(name, value)])
                #expect(answer.status == 403, "\(method) \(target)")
            }
            #expect(try await world.signIn(headers: [(name, value)]).status == 403)
            let body = #"{"token": "x", "email": "a@b.example", "password": "long enough for us"}"#
            #expect(try await world.call("POST", "setup", body, headers: [(name, value)]).status == 403)
        }
    }

    /// `localhost` is the name in the Host header of the tests.
    @Test(arguments: ["http://console.example", "http://localhost"])
    func ownPagesMayChange(origin: String) async throws {
        try await withMember { world, member in
            let headers = [("Origin", origin), ("Sec-Fetch-Site", "same-origin")]
            let body = #"{"name": "Chess", "platforms": ["ios"], "timezone": "UTC"}"#
            let answer = try await world.call("POST", "apps", body, as: member, headers: headers)
            #expect(answer.status == 201)
        }
    }

    @Test func readingNeedsNoToken() async throws {
        try await withMember { world, member in
            let answer = try await world.call("GET", "apps", headers: [("Cookie", member.cookie)])
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example", true), ("https://a.example", "http://a.example", false),
        ("https://a.example/", "https://a.example", true),
        ("https://a.example:8443", "https://a.example", false),
        ("https://A.example", "https://a.EXAMPLE", true),
        ("http://a.example/console", "http://a.example", true),
    ])
    func originIsThatOfTheSettings(url: String, origin: String, isOwn: Bool) {
        let check = CrossSiteCheck(consoleURL: url)
        let request = HTTPRequest(
            head: HTTPRequestHead(method: "POST", path: "/", headers: HTTPHeaders([("Origin", origin)]))
        )
        if isOwn {
            #expect(throws: Never.self) { try check.check(request) }
        } else {
            #expect(throws: ConsoleRefusal.self) { try check.check(request) }
        }
    }
}
