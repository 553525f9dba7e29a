import ServiceKit
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SignInLimitTests {
    private func from(_ address: String) -> [(String, String)] { [("X-Forwarded-For", address)] }
    private let proxied = ["CONSOLE_TRUSTED_PROXIES": "127.0.0.0/8"]

    @Test func sixthAttemptAtAnAccountWaits() async throws {
        try await withConsole { world in
            try await world.addAccount()
            for _ in 0..<5 { #expect(try await world.signIn(ConsoleWorld.email, "wrong").status == 401) }
            let answer = try await world.signIn()
            #expect(answer.status == 429 && answer.errorCode == "rate_limited")
            #expect(answer.header("Retry-After") == "900")
            #expect(answer.cookie == nil)
        }
    }

    @Test func itIsTheSameForAnAddressNobodyHas() async throws {
        try await withConsole { (world) async throws in
            for _ in 0..<5 { #expect(try await world.signIn("nobody@example.com").status == 401) }
            #expect(try await world.signIn("nobody@example.com").status == 429)
        }
    }

    @Test func waitEndsAfterAQuarterOfAnHour() async throws {
        try await withConsole { world in
            try await world.addAccount()
            for _ in 0..<5 { _ = try await world.signIn(ConsoleWorld.email, "wrong") }
            world.clock.advance(ms: 15 * 60_000 - 1)
            #expect(try await world.signIn().header("Retry-After") == "1")
            world.clock.advance(ms: 1)
            #expect(try await world.signIn().status == 200)
        }
    }

    @Test func successForgetsTheAttemptsBefore() async throws {
        try await withConsole { world in
            try await world.addAccount()
            for _ in 0..<4 { _ = try await world.signIn(ConsoleWorld.email, "wrong") }
            #expect(try await world.signIn().status == 200)
            for _ in 0..<4 { #expect(try await world.signIn(ConsoleWorld.email, "wrong").status == 401) }
        }
    }

    @Test func manyMaySignInFromOneOffice() async throws {
        try await withConsole { (world) async throws in
            try await world.addAccount()
            for _ in 0..<35 { #expect(try await world.signIn().status == 200) }
        }
    }

    @Test func anAddressMayTryThirtyAccounts() async throws {
        try await withConsole { (world) async throws in
            for number in 0..<30 {
                #expect(try await world.signIn("nobody\(number)@example.com").status == 401)
            }
            #expect(try await world.signIn("somebody@example.com").status == 429)
        }
    }

    @Test func behindAProxyEachClientHasItsOwnLimit() async throws {
        try await withConsole(proxied) { world in
            for number in 0..<30 {
                _ = try await world.signIn("nobody\(number)@example.com", headers: from("203.0.113.1"))
            }
            #expect(try await world.signIn("a@example.com", headers: from("203.0.113.1")).status == 429)
            #expect(try await world.signIn("a@example.com", headers: from("203.0.113.2")).status == 401)
        }
    }

    @Test func whatAClientWritesInFrontOfTheProxysHopIsNotBelieved() async throws {
        try await withConsole(proxied) { world in
            for number in 0..<30 {
                let headers = from("198.51.100.\(number), 203.0.113.1")
                _ = try await world.signIn("nobody\(number)@example.com", headers: headers)
            }
            let answer = try await world.signIn("a@example.com", headers: from("198.51.100.77, 203.0.113.1"))
            #expect(answer.status == 429)
        }
    }

    @Test func withoutTrustedProxiesTheHeaderIsNotBelieved() async throws {
        try await withConsole { world in
            for number in 0..<30 {
                let headers = from("203.0.113.\(number)")
                _ = try await world.signIn("nobody\(number)@example.com", headers: headers)
            }
            #expect(try await world.signIn("a@example.com", headers: from("203.0.113.77")).status == 429)
        }
    }

    @Test func neighboursOfOneIPv6NetworkAreOne() async throws {
        try await withConsole(proxied) { world in
            for number in 0..<30 {
                let headers = from("2001:db8:1:2::\(number + 1)")
                _ = try await world.signIn("nobody\(number)@example.com", headers: headers)
            }
            #expect(
                try await world.signIn("a@b.example", headers: from("2001:db8:1:2:ffff::1")).status == 429
            )
            #expect(try await world.signIn("a@b.example", headers: from("2001:db8:1:3::1")).status == 401)
        }
    }

    /// A stranger elsewhere must not lock the owner out with a few requests.
    @Test func attemptsFromElsewhereLeaveTheOwnersOwn() async throws {
        try await withConsole(proxied) { world in
            try await world.addAccount()
            for _ in 0..<6 {
                _ = try await world.signIn(ConsoleWorld.email, "wrong", headers: from("203.0.113.1"))
            }
            let owner = try await world.signIn(headers: from("203.0.113.2"))
            #expect(owner.status == 200)
        }
    }

    @Test func anAccountHasFiftyAttemptsFromAllAddresses() async throws {
        try await withConsole(proxied) { world in
            try await world.addAccount()
            for number in 0..<50 {
                _ = try await world.signIn(ConsoleWorld.email, "wrong", headers: from("203.0.113.\(number)"))
            }
            #expect(try await world.signIn(headers: from("203.0.113.200")).status == 429)
        }
    }

    @Test func setUpIsLimitedToo() async throws {
        try await withConsole { (world) async throws in
            let body = #"{"token": "guess", "email": "a@b.example", "password": "long enough for us"}"#
            for _ in 0..<5 { #expect(try await world.call("POST", "setup", body).status == 400) }
            #expect(try await world.call("POST", "setup", body).status == 429)
        }
    }

    @Test func nothingOfTheClientIsLogged() async throws {
        try await withConsole(proxied) { world in
            try await world.addAccount()
            _ = try await world.signIn(ConsoleWorld.email, "wrong", headers: from("203.0.113.1"))
            _ = try await world.signIn()
            let text = world.log.lines.joined()
            for secret in ["203.0.113.1", "owner@", "wrong", ConsoleWorld.password] {
                #expect(!text.contains(secret))
            }
        }
    }
}
