import Postgres
import ReaderCore
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SessionTests {
    @Test func signingOutEndsThisSessionOnly() async throws {
        try await withMember { world, member in
            let other = try await world.member()
            let answer = try await world.call("DELETE", "session", as: member)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.header("Set-Cookie")?.hasPrefix("fg_session=; ") == true)
            #expect(answer.header("Set-Cookie")?.contains("Max-Age=0") == true)
            #expect(try await world.call("GET", "session", as: member).status == 401)
            #expect(try await world.call("GET", "session", as: other).status == 200)
        }
    }

    @Test func signingOutEverywhereEndsEverySessionOfTheAccount() async throws {
        try await withMember { world, member in
            let other = try await world.member()
            try await world.addAccount("guest@example.com")
            let guest = try await world.member("guest@example.com")
            #expect(try await world.call("DELETE", "sessions", as: member).status == 204)
            for ended in [member, other] {
                #expect(try await world.call("GET", "session", as: ended).status == 401)
            }
            #expect(try await world.call("GET", "session", as: guest).status == 200)
            #expect(try await world.audit(guest).contains("signed_out_everywhere"))
        }
    }

    @Test func sessionEndsAtItsAgeHoweverMuchItIsUsed() async throws {
        try await withMember(["CONSOLE_SESSION_AGE_MS_MAX": "1h"]) { world, member in
            try await world.connection.script(
                "UPDATE console_sessions SET expires_at = expires_at - interval '59 min'"
            )
            #expect(try await world.call("GET", "session", as: member).status == 200)
            try await world.connection.script(
                "UPDATE console_sessions SET expires_at = expires_at - interval '1 min'"
            )
            #expect(try await world.call("GET", "session", as: member).status == 401)
        }
    }

    @Test func sessionEndsWhenItIsNotUsed() async throws {
        try await withMember(["CONSOLE_SESSION_IDLE_MS_MAX": "1h"]) { world, member in
            try await world.connection.script(
                "UPDATE console_sessions SET seen_at = now() - interval '59 min'"
            )
            #expect(try await world.call("GET", "session", as: member).status == 200)
            // That was a use.
            let seen = try await world.connection.texts(
                "SELECT (now() - seen_at < interval '1 min')::text FROM console_sessions LIMIT 1"
            )
            #expect(seen == ["true"])
            try await world.connection.script(
                "UPDATE console_sessions SET seen_at = now() - interval '60 min'"
            )
            #expect(try await world.call("GET", "session", as: member).status == 401)
        }
    }

    @Test func sweepDeletesWhatHasRunOutAndNothingElse() async throws {
        try await withMember { world, member in
            let idle = try await world.member()
            let old = try await world.member()
            for (session, change) in [
                (idle, "seen_at = now() - interval '8 days'"),
                (old, "expires_at = now() - interval '1 second'"),
            ] {
                try await world.connection.script(
                    "UPDATE console_sessions SET \(change) WHERE csrf_token = '\(session.csrfToken)'"
                )
            }
            _ = try await world.done("POST", "members", #"{"email": "a@b.example"}"#, as: member, status: 201)
            _ = try await world.done("POST", "members", #"{"email": "c@d.example"}"#, as: member, status: 201)
            try await world.connection.script(
                "UPDATE setup_links SET expires_at = now() WHERE email = 'a@b.example'"
            )
            try await AccessSweep(
                pool: world.pool,
                sessions: ConsoleSessions(limits: world.settings.sessions),
                world.service
            ).sweep()
            #expect(
                try await world.connection.texts("SELECT csrf_token FROM console_sessions LIMIT 10")
                    == [member.csrfToken]
            )
            #expect(
                try await world.connection.texts("SELECT email FROM setup_links LIMIT 10") == ["c@d.example"]
            )
        }
    }

    @Test func newPasswordEndsTheOtherSessionsAndTheOldPassword() async throws {
        try await withMember { world, member in
            let other = try await world.member()
            let body =
                #"{"current_password": "\#(ConsoleWorld.password)", "password": "staple staple staple"}"#
            let answer = try await world.call("PUT", "password", body, as: member)
            #expect(answer.status == 200)
            for ended in [member, other] {
                #expect(try await world.call("GET", "session", as: ended).status == 401)
            }
            let fresh = ConsoleWorld.Member(
                cookie: try #require(answer.cookie),
                csrfToken: try #require(answer.json["csrf_token"].text)
            )
            #expect(try await world.call("GET", "session", as: fresh).status == 200)
            #expect(try await world.signIn().status == 401)
            #expect(try await world.signIn(ConsoleWorld.email, "staple staple staple").status == 200)
            #expect(try await world.audit(fresh).contains("password_changed"))
        }
    }

    @Test func newPasswordNeedsTheCurrentOne() async throws {
        try await withMember { world, member in
            let body = #"{"current_password": "incorrect horse", "password": "staple staple staple"}"#
            let answer = try await world.call("PUT", "password", body, as: member)
            #expect(answer.status == 400 && answer.errorField == "current_password")
            #expect(try await world.signIn().status == 200)
        }
    }

    @Test(arguments: [
        ("eleven char", false), ("twelve chars", true), ("двенадцатьбу", true),
        (String(repeating: "x", count: 1024), true), (String(repeating: "x", count: 1025), false),
        (String(repeating: "я", count: 513), false),
    ])
    func passwordsHaveTwelveCharactersAndAtMost1024Bytes(password: String, isTaken: Bool) async throws {
        try await withMember { world, member in
            let body = #"{"current_password": "\#(ConsoleWorld.password)", "password": "\#(password)"}"#
            let answer = try await world.call("PUT", "password", body, as: member)
            #expect(answer.status == (isTaken ? 200 : 400))
            #expect(isTaken || answer.errorField == "password")
        }
    }

    // MARK: Who is not signed in

    /// Every operation of the control plane that needs a session.
    static let guarded = ControlPlaneAPI.operations.filter { operation in
        if case .open = operation.work { false } else { true }
    }

    static func target(_ path: String, app: String) -> String {
        path.replacing("{app_id}", with: app)
            .replacing(/\{[a-z_]+\}/, with: "0199d5f0-0000-7000-8000-000000000002")
    }

    /// Every operation of the Read API but its document.
    static func readTargets(app: String) throws -> [(method: String, target: String)] {
        let document = try JSONNode(OpenAPIDocument.bytes)
        return document["paths"].names.filter { $0.hasPrefix("/v1/") }.flatMap { path in
            document["paths"][path].names.map { ($0.uppercased(), target(path, app: app)) }
        }
    }

    @Test func nobodyReadsOrChangesAnythingWithoutASession() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp("Tell nobody", as: member)["id"].text ?? ""
            let ended = try await world.member()
            _ = try await world.call("DELETE", "session", as: ended)
            let expired = try await world.member()
            try await world.connection.script(
                "UPDATE console_sessions SET expires_at = now() WHERE csrf_token = '\(expired.csrfToken)'"
            )
            let foreign = ConsoleWorld.Member(
                cookie: "fg_session=" + String(repeating: "a", count: 43),
                csrfToken: member.csrfToken
            )
            let two = ConsoleWorld.Member(
                cookie: member.cookie + "; " + foreign.cookie,
                csrfToken: member.csrfToken
            )
            let targets =
                Self.guarded.map { ($0.method, "/console/v1/" + Self.target($0.path, app: app)) }
                + (try Self.readTargets(app: app))
            #expect(targets.count > 40)
            let before = try await world.audit(member).count
            for stranger in [nil, foreign, ended, expired, two] {
                for (method, target) in targets {
                    let answer = try await world.send(method, target, as: stranger)
                    #expect(answer.status == 401, "\(method) \(target)")
                    #expect(answer.errorCode == "unauthenticated")
                    #expect(!answer.body.contains("Tell nobody"))
                }
            }
            #expect(try await world.audit(member).count == before)
        }
    }

    @Test func strangersDoNotLearnWhatThereIs() async throws {
        try await withConsole { (world) async throws in
            for path in ["nowhere", "apps/1/2/3/4", ""] {
                #expect(try await world.call("GET", path).status == 401)
            }
        }
    }

    /// The reader's keys are for the reader.
    @Test func secretKeyOpensNothingHere() async throws {
        try await withMember { world, member in
            let key = try await world.done(
                "POST",
                "api-keys",
                #"{"scopes": ["read"]}"#,
                as: member,
                status: 201
            )
            let headers = [("Authorization", "Bearer \(key["key"].text ?? "")")]
            #expect(try await world.send("GET", "/v1/apps", headers: headers).status == 401)
            #expect(try await world.call("GET", "apps", headers: headers).status == 401)
        }
    }
}
