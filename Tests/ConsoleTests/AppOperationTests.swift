import Postgres
import TestSupport
import Testing

@testable import ConsoleCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct AppOperationTests {
    private static let nowhere = "0199d5f0-0000-7000-8000-000000000002"

    @Test func appIsMadeWithAKeyForEachPlatformAndOneForAny() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp("  Chess ", as: member, platforms: ["ios", "web"])
            #expect(app["name"].text == "Chess")
            #expect(app["platforms"].texts == ["ios", "web"])
            #expect(app["timezone"].text == "UTC" && app["status"].text == "active")
            let keys = app["keys"].list
            #expect(keys.map { $0["platform"].text } == ["ios", "web", nil])
            #expect(keys.allSatisfy { $0["key"].text?.hasPrefix("pk_") == true && $0["revoked_at"].isNull })
            #expect(try await world.audit(member).first == "app_created: ios, web; UTC")
        }
    }

    @Test(arguments: [
        (#"{"name": " ", "platforms": ["ios"], "timezone": "UTC"}"#, "name"),
        (#"{"platforms": ["ios"], "timezone": "UTC"}"#, "name"),
        (#"{"name": "A\u0007", "platforms": ["ios"], "timezone": "UTC"}"#, "name"),
        (#"{"name": "A", "platforms": [], "timezone": "UTC"}"#, "platforms"),
        (#"{"name": "A", "platforms": ["amiga"], "timezone": "UTC"}"#, "platforms"),
        (#"{"name": "A", "platforms": ["ios", "ios"], "timezone": "UTC"}"#, "platforms"),
        (#"{"name": "A", "platforms": "ios", "timezone": "UTC"}"#, "platforms"),
        (#"{"name": "A", "platforms": ["ios"], "timezone": "Mars/Olympus"}"#, "timezone"),
        (#"{"name": "A", "platforms": ["ios"], "timezone": "UTC", "extra": 1}"#, "extra"),
        ("[]", "body"), ("{", "body"),
    ])
    func whatIsNoAppIsRefusedByField(body: String, field: String) async throws {
        try await withMember { world, member in
            let answer = try await world.call("POST", "apps", body, as: member)
            #expect(answer.status == 400 && answer.errorField == field)
            #expect(try await world.done("GET", "apps", as: member)["items"].list.isEmpty)
        }
    }

    @Test func appsAreListedInOrderAndShownWithTheirKeys() async throws {
        try await withMember { world, member in
            let first = try await world.makeApp("One", as: member)
            _ = try await world.makeApp("Two", as: member)
            let list = try await world.done("GET", "apps", as: member)["items"].list
            #expect(list.map { $0["name"].text } == ["One", "Two"])
            #expect(list[0]["keys"].isThere == false)
            let shown = try await world.done("GET", "apps/\(first["id"].text ?? "")", as: member)
            #expect(shown["keys"].list.count == 2)
        }
    }

    @Test func appIsRenamedAndGetsPlatforms() async throws {
        try await withMember { world, member in
            let id = try await world.makeApp("One", as: member)["id"].text ?? ""
            let changed = try await world.done(
                "PATCH",
                "apps/\(id)",
                #"{"name": "Eins", "add_platforms": ["web", "ios"]}"#,
                as: member
            )
            #expect(changed["name"].text == "Eins")
            #expect(changed["platforms"].texts == ["ios", "web"])
            #expect(changed["keys"].list.map { $0["platform"].text } == ["ios", nil, "web"])
            let audit = try await world.audit(member)
            #expect(audit.contains("app_renamed: was One") && audit.contains("platforms_added: web"))
        }
    }

    @Test func changeThatChangesNothingIsNotNoted() async throws {
        try await withMember { world, member in
            let id = try await world.makeApp("One", as: member)["id"].text ?? ""
            let before = try await world.audit(member)
            for body in [#"{"name": "One"}"#, #"{"add_platforms": ["ios"]}"#, "{}"] {
                _ = try await world.done("PATCH", "apps/\(id)", body, as: member)
            }
            _ = try await world.done("POST", "apps/\(id)/restore", as: member)
            #expect(try await world.audit(member) == before)
        }
    }

    @Test func appIsArchivedAndRestored() async throws {
        try await withMember { world, member in
            let id = try await world.makeApp(as: member)["id"].text ?? ""
            for _ in 0..<2 {
                let archived = try await world.done("POST", "apps/\(id)/archive", as: member)
                #expect(archived["status"].text == "archived")
            }
            #expect(try await world.done("GET", "apps", as: member)["items"].list.count == 1)
            #expect(try await world.done("POST", "apps/\(id)/restore", as: member)["status"].text == "active")
            #expect(try await world.audit(member).prefix(2) == ["app_restored", "app_archived"])
        }
    }

    @Test func writeKeyIsIssuedAndRevoked() async throws {
        try await withMember { world, member in
            let id = try await world.makeApp(as: member)["id"].text ?? ""
            let path = "apps/\(id)/write-keys"
            for (body, platform) in [
                (#"{"platform": "ios"}"#, "ios"), (#"{"platform": null}"#, nil), ("{}", nil),
            ] {
                let key = try await world.done("POST", path, body, as: member, status: 201)
                #expect(key["platform"].text == platform)
            }
            let keys = try await world.done("GET", path, as: member)["items"].list
            #expect(keys.count == 5 && keys.allSatisfy { $0["last_used_at"].isNull })
            let revoked = try #require(keys[0]["id"].text)
            #expect(try await world.call("DELETE", "\(path)/\(revoked)", as: member).status == 204)
            let after = try await world.done("GET", path, as: member)["items"].list
            #expect(after[0]["revoked_at"].text != nil && after[1]["revoked_at"].isNull)
            // A second time there is nothing to revoke.
            #expect(try await world.call("DELETE", "\(path)/\(revoked)", as: member).status == 404)
            let audit = try await world.audit(member)
            #expect(audit[0] == "write_key_revoked: ios")
            #expect(audit[1] == "write_key_issued: any platform")
            #expect(!audit.joined().contains("pk_"))
        }
    }

    @Test func keyOfAPlatformTheAppLacksIsRefused() async throws {
        try await withMember { world, member in
            let id = try await world.makeApp(as: member)["id"].text ?? ""
            for platform in ["web", "amiga", ""] {
                let body = #"{"platform": "\#(platform)"}"#
                let answer = try await world.call("POST", "apps/\(id)/write-keys", body, as: member)
                #expect(answer.status == 400 && answer.errorField == "platform")
            }
        }
    }

    @Test func keyOfAnotherAppIsNotRevoked() async throws {
        try await withMember { world, member in
            let (one, two) = (
                try await world.makeApp("One", as: member), try await world.makeApp("Two", as: member)
            )
            let key = two["keys"].list[0]["id"].text ?? ""
            let path = "apps/\(one["id"].text ?? "")/write-keys/\(key)"
            #expect(try await world.call("DELETE", path, as: member).status == 404)
        }
    }

    /// Ingest listens there, and reads keys anew at once; that it then refuses is among the tests of the whole.
    @Test func changesOfKeysAreAnnounced() async throws {
        try await withMember { world, member in
            let app = try await world.makeApp(as: member)
            let path = "apps/\(app["id"].text ?? "")/write-keys"
            try await withConnection(to: world.databaseURL) { listener in
                try await listener.listen("foreground_registry")
                #expect(try await world.call("POST", path, "{}", as: member).status == 201)
                #expect(try await listener.waitForNotification(ms: 10_000)?.channel == "foreground_registry")
                let key = app["keys"].list[0]["id"].text ?? ""
                #expect(try await world.call("DELETE", "\(path)/\(key)", as: member).status == 204)
                #expect(try await listener.waitForNotification(ms: 10_000)?.channel == "foreground_registry")
            }
        }
    }

    @Test func appThatIsNotThereIsNotFound() async throws {
        try await withMember { world, member in
            let bodies = [
                "PATCH": "{}", "PUT": #"{"timezone": "UTC"}"#, "DELETE": #"{"confirm": "x"}"#, "POST": "{}",
            ]
            for operation in ControlPlaneAPI.operations where operation.path.hasPrefix("apps/{app_id}") {
                for id in [Self.nowhere, "not-an-id"] {
                    var path = SessionTests.target(operation.path, app: id)
                    var body = bodies[operation.method]
                    if path.hasSuffix("/merge") {
                        body = #"{"source_app_id": "\#(Self.nowhere)", "confirm": "x"}"#
                    }
                    if path.hasSuffix("merge-preview") { path += "?source=\(Self.nowhere)" }
                    if path.contains("/write-keys/") { body = nil }
                    let answer = try await world.call(operation.method, path, body, as: member)
                    // One that is merged into itself is refused before it is looked for.
                    let isSame = path.hasSuffix("merge-preview?source=\(id)")
                    #expect(answer.status == (isSame ? 409 : 404), "\(operation.method) \(path)")
                    #expect(isSame || answer.errorCode == "app_not_found")
                }
            }
        }
    }

    @Test func parametersNobodyKnowsAreRefused() async throws {
        try await withMember { world, member in
            for path in ["apps?x=1", "audit?before=1&before=2", "audit?befor=1", "timezones?q="] {
                let answer = try await world.call("GET", path, as: member)
                #expect(answer.errorCode == "invalid_request", "\(path)")
            }
        }
    }

    @Test func otherMethodsAreNamed() async throws {
        try await withMember { world, member in
            let answer = try await world.call("PUT", "apps", "{}", as: member)
            #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD, POST")
            #expect(try await world.call("GET", "nowhere", as: member).status == 404)
        }
    }
}
