import ControlPlane
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AccessOperationTests {
    private static let password = "long enough for us"

    private func setUp(_ world: ConsoleWorld, _ token: String, _ email: String) async throws -> HTTPAnswer {
        let body = #"{"token": "\#(token)", "email": "\#(email)", "password": "\#(Self.password)"}"#
        return try await world.call("POST", "setup", body)
    }

    // MARK: Secret keys

    @Test func secretKeyIsShownOnceAndStoredAsAHash() async throws {
        try await withMember { world, member in
            let made = try await world.done(
                "POST",
                "api-keys",
                #"{"scopes": ["read", "delete"], "app_id": null}"#,
                as: member,
                status: 201
            )
            let key = try #require(made["key"].text)
            #expect(key.hasPrefix("sk_") && key.hasPrefix(made["prefix"].text ?? "?"))
            #expect(made["scopes"].texts == ["delete", "read"] && made["app_id"].isNull)
            for path in ["api-keys", "audit"] {
                #expect(try await world.call("GET", path, as: member).body.contains(key) == false)
            }
            let stored = try await world.connection.texts("SELECT api_keys::text FROM api_keys LIMIT 10")
            #expect(stored.count == 1 && !stored[0].contains(key))
            let isItsHash = try await world.connection.texts(
                "SELECT (key_hash = sha256(convert_to(\(key), 'UTF8')))::text FROM api_keys LIMIT 1"
            )
            #expect(isItsHash == ["true"])
        }
    }

    @Test func secretKeyIsRevoked() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let body = #"{"scopes": ["read"], "app_id": "\#(app)"}"#
            let made = try await world.done("POST", "api-keys", body, as: member, status: 201)
            #expect(made["app_id"].text == app)
            let id = made["id"].text ?? ""
            #expect(try await world.call("DELETE", "api-keys/\(id)", as: member).status == 204)
            #expect(try await world.call("DELETE", "api-keys/\(id)", as: member).status == 404)
            #expect(try await world.call("DELETE", "api-keys/none", as: member).status == 404)
            let listed = try await world.done("GET", "api-keys", as: member)["items"].list
            #expect(listed.count == 1 && listed[0]["revoked_at"].text != nil)
            let prefix = made["prefix"].text ?? ""
            let audit = try await world.audit(member)
            #expect(
                audit.prefix(2) == ["api_key_revoked: \(prefix)…: read", "api_key_issued: \(prefix)…: read"]
            )
        }
    }

    @Test func keyOfADeletedAppCannotBeRevokedTwice() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)["id"].text ?? ""
            let body = #"{"scopes": ["read"], "app_id": "\#(app)"}"#
            let key = try await world.done("POST", "api-keys", body, as: member, status: 201)["id"].text ?? ""
            _ = try await world.done(
                "DELETE",
                "apps/\(app)",
                #"{"confirm": "Chess"}"#,
                as: member,
                status: 202
            )
            #expect(try await world.call("DELETE", "api-keys/\(key)", as: member).status == 404)
        }
    }

    @Test(arguments: [
        (#"{"scopes": []}"#, "scopes"), ("{}", "scopes"), (#"{"scopes": ["write"]}"#, "scopes"),
        (#"{"scopes": ["read"], "app_id": 1}"#, "app_id"), (#"{"scopes": "read"}"#, "scopes"),
    ])
    func whatIsNoKeyIsRefused(body: String, field: String) async throws {
        try await withMember { world, member in
            let answer = try await world.call("POST", "api-keys", body, as: member)
            #expect(answer.status == 400 && answer.errorField == field)
        }
    }

    @Test func keyForAnAppThatIsNotThereIsRefused() async throws {
        try await withMember { world, member in
            for app in ["none", "0199d5f0-0000-7000-8000-000000000002"] {
                let body = #"{"scopes": ["read"], "app_id": "\#(app)"}"#
                let answer = try await world.call("POST", "api-keys", body, as: member)
                #expect(answer.errorCode == "app_not_found")
            }
        }
    }

    // MARK: Members

    @Test func invitedMemberMakesAnAccountOnce() async throws {
        try await withMember { world, member in
            let made = try await world.done(
                "POST",
                "members",
                #"{"email": "Guest@Example.com"}"#,
                as: member,
                status: 201
            )
            #expect(made["email"].text == "guest@example.com")
            let token = try #require(made["path"].text?.split(separator: "#").last.map(String.init))
            #expect(made["path"].text == "/setup#" + token)
            let stored = try await world.connection.texts("SELECT setup_links::text FROM setup_links LIMIT 9")
            #expect(stored.count == 1 && !stored[0].contains(token))

            #expect(try await setUp(world, token, "other@example.com").errorField == "email")
            let answer = try await setUp(world, token, "guest@example.com")
            #expect(answer.status == 200 && answer.cookie != nil)
            #expect(answer.json["account"]["email"].text == "guest@example.com")
            #expect(try await setUp(world, token, "guest@example.com").errorField == "token")
            #expect(try await world.signIn("guest@example.com", Self.password).status == 200)

            let members = try await world.done("GET", "members", as: member)["items"].list
            #expect(members.map { $0["email"].text } == [ConsoleWorld.email, "guest@example.com"])
            #expect(members.allSatisfy { !$0.names.contains { $0.contains("password") } })
            let audit = try await world.audit(member)
            #expect(audit.contains("account_invited: guest@example.com") && audit.contains("account_created"))
            #expect(!audit.joined().contains(token))
        }
    }

    @Test func linkEndsAfterThreeDays() async throws {
        try await withMember { world, member in
            let made = try await world.done(
                "POST",
                "members",
                #"{"email": "a@b.example"}"#,
                as: member,
                status: 201
            )
            let token = made["path"].text?.split(separator: "#").last.map(String.init) ?? ""
            try await world.connection.script(
                "UPDATE setup_links SET expires_at = expires_at - interval '72 hours'"
            )
            #expect(try await setUp(world, token, "a@b.example").errorField == "token")
        }
    }

    @Test func whoIsThereIsNotInvited() async throws {
        try await withMember { world, member in
            let answer = try await world.call(
                "POST",
                "members",
                #"{"email": "OWNER@example.com"}"#,
                as: member
            )
            #expect(answer.status == 409)
        }
    }

    @Test(arguments: ["", "a", "a@", "@b", "a@b@c", "a b@c.example", "a@b\\u0000", "a\\n@b.example"])
    func whatIsNoAddressIsRefused(email: String) async throws {
        try await withMember { world, member in
            let answer = try await world.call("POST", "members", #"{"email": "\#(email)"}"#, as: member)
            #expect(answer.status == 400 && answer.errorField == "email")
        }
    }

    @Test func removedMemberIsOutAtOnceAndTheLastOneStays() async throws {
        try await withMember { world, member in
            try await world.addAccount("guest@example.com")
            let guest = try await world.member("guest@example.com")
            let members = try await world.done("GET", "members", as: member)["items"].list
            let ids = members.compactMap { $0["id"].text }
            #expect(try await world.call("DELETE", "members/\(ids[1])", as: member).status == 204)
            #expect(try await world.call("GET", "session", as: guest).status == 401)
            #expect(try await world.call("DELETE", "members/\(ids[1])", as: member).status == 404)
            #expect(try await world.call("DELETE", "members/none", as: member).status == 404)
            let last = try await world.call("DELETE", "members/\(ids[0])", as: member)
            #expect(last.status == 409 && last.errorReason == "the last account must stay")
            #expect(try await world.call("GET", "session", as: member).status == 200)
            #expect(try await world.audit(member)[0] == "account_removed: guest@example.com")
        }
    }

    // MARK: The first account

    private func start(_ world: ConsoleWorld, _ settings: [String: String]) async throws {
        var reader = SettingsReader(["DATABASE_URL": "postgres://x"].merging(settings) { $1 })
        let first = FirstAccount(
            pool: world.pool,
            settings: ConsoleSettings(&reader),
            hasher: world.hasher,
            world.service
        )
        try await first.make()
    }

    @Test func firstAccountComesFromTheSettingsOnce() async throws {
        try await withConsole { world in
            let settings = ["ADMIN_EMAIL": "Admin@Example.com", "ADMIN_PASSWORD": Self.password]
            try await start(world, settings)
            #expect(try await world.signIn("admin@example.com", Self.password).status == 200)
            try await start(world, ["ADMIN_EMAIL": "second@example.com", "ADMIN_PASSWORD": Self.password])
            #expect(try await world.signIn("second@example.com", Self.password).status == 401)
            #expect(!world.log.lines.joined().contains(Self.password))
        }
    }

    @Test func passwordOfTheSettingsMustBeLongEnoughToo() async throws {
        try await withConsole { world in
            await #expect(throws: ControlProblem.self) {
                try await start(world, ["ADMIN_EMAIL": "a@b.example", "ADMIN_PASSWORD": "short"])
            }
        }
    }

    @Test func firstLinkMakesTheFirstAccountOnly() async throws {
        try await withConsole { world in
            let tokens = try await world.pool.withConnection { connection in
                try await connection.transaction { connection in
                    try (0..<2).map { _ in try SetupLinks.make(invitedBy: nil, email: nil, connection) }
                }
            }
            #expect(try await setUp(world, tokens[0], "a@b.example").status == 200)
            let second = try await setUp(world, tokens[1], "c@d.example")
            #expect(second.status == 400 && second.errorField == "token")
        }
    }
}
