import Contracts
import Testing

@testable import ReaderCore

@Suite struct DirectRouteTests {
    private let id = "0199d5f0-0000-7000-8000-000000000002"

    private func find(_ rest: String) throws -> ReadRoute? { try ReadRoute.find("/v1/apps/\(id)/\(rest)") }

    @Test func operations() throws {
        let app = try #require(UUID128(id))
        #expect(try ReadRoute.find("/v1/portfolio") == .portfolio)
        #expect(try find("realtime") == .direct(.realtime(app)))
        #expect(try find("profiles") == .direct(.profiles(app)))
        #expect(try find("profiles/u:42") == .direct(.profile(app, personKey: "u:42")))
        #expect(try find("integration/health") == .direct(.health(app)))
        #expect(try find("deletion-requests") == .direct(.deletionRequests(app)))
        #expect(try find("deletion-requests/\(id)") == .direct(.deletionRequest(app, app)))
        #expect(try find("deletion-requests/7") == .direct(.deletionRequest(app, nil)))
    }

    /// B44: decoded once, after the path was divided; nothing is normalised.
    @Test(arguments: [
        ("u:team%2F42", "u:team/42"), ("u:a%252Fb", "u:a%2Fb"), ("u:50%25", "u:50%"), ("u:a+b", "u:a+b"),
        ("u:a%2Bb", "u:a+b"), ("u:a%20b", "u:a b"), ("u:a:b", "u:a:b"), ("u%3Aa", "u:a"), ("..", ".."),
        ("u:a%3Fb%23c", "u:a?b#c"), ("u:..", "u:.."), ("%2E%2E", ".."), ("u:%E6%97%A5", "u:日"),
    ])
    func personKeyIsWhatTheSegmentSays(segment: String, key: String) throws {
        #expect(try find("profiles/\(segment)") == .direct(.profile(UUID128(id), personKey: key)))
    }

    @Test(arguments: [
        "profiles/", "profiles/u:a/b", "profiles/../profiles/u:a", "realtime/", "Realtime", "integration",
        "integration/health/", "integration%2Fhealth", "deletion-requests/", "deletion-requests/a/b",
    ])
    func nothingIsFoundElsewhere(rest: String) throws {
        #expect(try find(rest) == nil)
    }

    @Test(arguments: ["/v1/portfolio/", "/v1/portfolio/x", "/portfolio", "/v1/%70ortfolio2"])
    func portfolioIsOneAddress(path: String) throws {
        #expect(try ReadRoute.find(path) == nil)
    }

    @Test func onlyMakingARequestIsAPost() throws {
        #expect(try find("deletion-requests")?.allowedMethods == "POST, OPTIONS")
        for rest in ["realtime", "profiles", "profiles/u:1", "integration/health", "deletion-requests/\(id)"]
        {
            #expect(try find(rest)?.allowedMethods == "GET, HEAD, OPTIONS")
        }
    }
}

@Suite struct PersonKeyTests {
    @Test func userIsEverythingBehindTheColon() {
        #expect(PersonKey("u:42") == .user("42"))
        #expect(PersonKey("u:u:i:") == .user("u:i:"))
        #expect(PersonKey("u: ") == .user(" "))
    }

    @Test func installIsAUUIDInAnyCase() {
        let text = "0199D5F0-0000-7000-8000-00000000000A"
        #expect(PersonKey("i:" + text)?.description == "i:" + text.lowercased())
    }

    @Test(arguments: ["", "u", "u:", "i:", "i:42", "U:42", "x:42", "42", "ü:42"])
    func anythingElseIsNobody(text: String) {
        #expect(PersonKey(text) == nil)
    }

    @Test func composedAndDecomposedLettersAreTwoPeople() {
        #expect(PersonKey("u:\u{E9}") != PersonKey("u:e\u{301}"))
    }

    @Test func combiningMarkBehindTheColonIsPartOfTheID() {
        #expect(PersonKey("u:\u{301}a")?.description == "u:\u{301}a")
    }
}

@Suite struct SessionCursorTests {
    private let app = UUID128.zero
    private let position = SessionPosition(us: 1_791_979_200_000_123, insertID: UUID128(high: 5, low: .max))

    private func cursor(_ person: PersonKey = .user("42")) -> SessionCursor {
        SessionCursor(app: app, .production, person)
    }

    @Test func positionComesBackToTheMicrosecond() {
        #expect(cursor().decode(cursor().encode(position)) == position)
        let early = SessionPosition(us: -1, insertID: .zero)
        #expect(cursor().decode(cursor().encode(early)) == early)
    }

    @Test func cursorOfAnotherPersonAppOrEnvironmentIsNone() {
        let text = cursor().encode(position)
        #expect(cursor(.user("43")).decode(text) == nil)
        #expect(cursor(.install(.zero)).decode(text) == nil)
        #expect(SessionCursor(app: app, .development, .user("42")).decode(text) == nil)
        let other = SessionCursor(app: UUID128(high: 0, low: 1), .production, .user("42"))
        #expect(other.decode(text) == nil)
    }

    @Test func everyCutAndEveryEditIsNoticed() {
        let text = cursor().encode(position)
        for end in text.indices { #expect(cursor().decode(String(text[..<end])) == nil) }
        for index in text.indices {
            var edited = text
            edited.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(cursor().decode(edited) == nil)
        }
        for wrong in ["", text + "A", text + "=", " " + text, "null", String(repeating: "A", count: 50)] {
            #expect(cursor().decode(wrong) == nil)
        }
    }
}
