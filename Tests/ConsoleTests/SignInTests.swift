import Crypto
import Postgres
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SignInTests {
    @Test func rightPasswordSignsIn() async throws {
        try await withConsole { world in
            try await world.addAccount()
            let answer = try await world.signIn()
            #expect(answer.status == 200)
            #expect(answer.json["account"]["email"].text == ConsoleWorld.email)
            #expect(answer.json["csrf_token"].text?.count == 43)
            #expect(answer.header("Cache-Control") == "no-store")
        }
    }

    @Test func addressMayBeTypedInCapitals() async throws {
        try await withConsole { world in
            try await world.addAccount()
            #expect(try await world.signIn("Owner@Example.COM").status == 200)
        }
    }

    @Test func wrongPasswordAndUnknownAddressAreAnsweredAlike() async throws {
        try await withConsole { world in
            try await world.addAccount()
            let wrong = try await world.signIn(ConsoleWorld.email, "incorrect horse battery")
            let unknown = try await world.signIn("nobody@example.com")
            for answer in [wrong, unknown] {
                #expect(answer.status == 401 && answer.errorCode == "invalid_credentials")
                #expect(answer.cookie == nil)
            }
            let message = { (answer: HTTPAnswer) in answer.json["error"]["message"].text }
            #expect(message(wrong) == message(unknown))
            #expect(wrong.headers.map(\.name) == unknown.headers.map(\.name))
        }
    }

    /// What makes the two take equally long, without a clock: both hash once, and at the same cost.
    @Test func unknownAddressIsHashedToo() async throws {
        let hasher = PasswordHasher(cost: .init(logN: 4))
        #expect(try await hasher.verify("anything", against: nil) == false)
        let hash = try await hasher.hash("anything")
        #expect(try await hasher.verify("anything", against: hash))
        #expect(hash.hasPrefix("$scrypt$ln=4,"))
    }

    @Test func cookieIsForThisSiteAndNoScript() async throws {
        try await withConsole { world in
            try await world.addAccount()
            let cookie = try await world.signIn().header("Set-Cookie") ?? ""
            #expect(cookie.hasPrefix("fg_session="))
            for flag in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=2592000"] {
                #expect(cookie.contains(flag), "\(flag)")
            }
            #expect(!cookie.contains("Secure") && !cookie.contains("Domain"))
        }
    }

    @Test func cookieBehindTLSIsSentOverTLSOnly() async throws {
        try await withConsole(["CONSOLE_URL": "https://console.example"]) { world in
            try await world.addAccount()
            let cookie = try await world.signIn().header("Set-Cookie") ?? ""
            #expect(cookie.hasPrefix("__Host-fg_session="))
            #expect(cookie.hasSuffix("; Secure"))
            #expect(cookie.contains("; Path=/") && !cookie.contains("Domain"))
            let member = try await world.member()
            #expect(try await world.call("GET", "session", as: member).status == 200)
            // The plain name is one that a neighbour of the domain could have set.
            let plain = member.cookie.replacing("__Host-", with: "")
            #expect(try await world.call("GET", "session", headers: [("Cookie", plain)]).status == 401)
        }
    }

    @Test func tokensAreStoredAsHashesOnly() async throws {
        try await withMember { world, member in
            let stored = try await world.connection.texts(
                "SELECT console_sessions::text FROM console_sessions LIMIT 10"
            )
            let token = member.cookie.split(separator: "=")[1]
            #expect(stored.count == 1 && !stored[0].contains(token))
            let password = try await world.connection.texts("SELECT password_hash FROM accounts LIMIT 10")
            #expect(password[0].hasPrefix("$scrypt$"))
        }
    }

    @Test(arguments: [
        #"{"email": "a@b.c"}"#, #"{"password": "correct horse battery"}"#, #"{"email": 1, "password": "x"}"#,
        "[]", "{", #"{"email": "a@b.c", "password": "x", "admin": "y"}"#,
        #"{"email": "a@b.c", "email": "d@b.c", "password": "x"}"#,
    ])
    func whatIsNoSignInIsInvalid(body: String) async throws {
        try await withConsole { world in
            let answer = try await world.call("POST", "session", body)
            #expect(answer.status == 400 && answer.errorCode == "invalid_request")
        }
    }

    @Test func formOfAnotherTypeIsRefused() async throws {
        try await withConsole { world in
            try await world.addAccount()
            let body = #"{"email": "\#(ConsoleWorld.email)", "password": "\#(ConsoleWorld.password)"}"#
            for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
                let answer = try await HTTPClient.send(
                    "POST",
                    "/console/v1/session",
                    port: world.port,
                    headers: [("Content-Type", type)],
                    body: body
                )
                #expect(answer.status == 400 && answer.errorField == "Content-Type", "\(type)")
            }
        }
    }
}

extension PostgresConnection {
    func texts(_ statement: SQL) throws -> [String] { try rows(statement) { try $0.string(0) } }
}
