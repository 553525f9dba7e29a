import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: the shapes of fgctl's answers that other tools rely on.
    @Suite struct CommandShapeTests {
        @Test func appCreatePrintsTheAppAndItsKeys() async throws {
            let app = try await Stack.shared().createApp(
                platforms: ["ios", "web"],
                timezone: "Europe/Berlin"
            )

            #expect(app.json.names == ["app_id", "name", "timezone", "platforms", "keys"])
            #expect(app.json["name"] == "Pipeline")
            #expect(app.json["timezone"] == "Europe/Berlin")
            #expect(app.json["platforms"] == ["ios", "web"])
            #expect(app.keys.map(\.platform) == ["ios", "web", nil])
            #expect(app.keys.allSatisfy { $0.key.hasPrefix("pk_") })
            #expect(Set(app.keys.map(\.key)).count == 3)
        }

        @Test func appListShowsWhatWasCreated() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp(platforms: ["bot"])

            let apps = try await stack.fgctl("app", "list").requireSuccess()["apps"].list

            let found = apps.first { $0["app_id"].string == app.id }
            #expect(found?["platforms"] == ["bot"])
            #expect(found?["status"] == "active")
        }

        @Test func keyListTellsRevokedFromLive() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            try await stack.fgctl("key", "revoke", app.key("ios")).requireSuccess()

            let keys = try await stack.fgctl("key", "list", "--app", app.id).requireSuccess()["keys"]

            #expect(
                keys == [
                    ["platform": "ios", "key": .text(app.key("ios")), "revoked": true],
                    ["platform": nil, "key": .text(app.anyKey), "revoked": false],
                ]
            )
        }

        @Test func apiKeyCreatePrintsTheKeyOnce() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()

            let key = try await stack.fgctl(
                "api-key",
                "create",
                "--scope",
                "read",
                "--scope",
                "delete",
                "--app",
                app.id
            )
            .requireSuccess()

            #expect(key.names == ["key", "prefix", "scopes", "app_id"])
            #expect(key["key"].string?.hasPrefix("sk_") == true)
            #expect(key["key"].string?.hasPrefix(key["prefix"].string ?? "?") == true)
            #expect(key["scopes"] == ["delete", "read"])
            #expect(key["app_id"] == .text(app.id))
            let listed = try await stack.fgctl("api-key", "list").requireSuccess()
            #expect(!String(decoding: listed.bytes, as: UTF8.self).contains(key["key"].string ?? ""))
        }

        @Test func anAPIKeyOfNoAppSaysSo() async throws {
            let key = try await Stack.shared().fgctl("api-key", "create", "--scope", "read").requireSuccess()

            #expect(key["app_id"] == nil)
        }

        @Test func migratingAgainDoesNothing() async throws {
            #expect(try await Stack.shared().fgctl("migrate").requireSuccess()["applied"] == [])
        }

        @Test func creatingTopicsAgainDoesNothing() async throws {
            let topics = try await Stack.shared().fgctl("topics", "create").requireSuccess()["topics"].list

            #expect(topics.map { $0["created"] } == [false, false])
        }

        @Test func nothingToCloseIsNoFailure() async throws {
            let stack = try Stack.shared()
            try await stack.closeDays()

            #expect(try await stack.closeDays()["closed"] == 0)
        }

        private static let impossible: [(arguments: [String], exitCode: Int32)] = [
            (["app", "create", "--name", "A", "--platform", "tvos", "--timezone", "UTC"], 64),
            (["app", "create", "--name", "A", "--platform", "ios", "--timezone", "UTC+3"], 64),
            (["key", "issue", "--app", "00000000-0000-0000-0000-000000000001"], 1),
            (["frobnicate"], 64),
        ]

        @Test(arguments: impossible)
        func aCommandThatCannotBeDoneSaysWhy(arguments: [String], code: Int32) async throws {
            let result = try await Stack.shared().fgctl(arguments)

            #expect(result.exitCode == code)
            #expect(result.errors.hasPrefix("fgctl: "))
            #expect(result.output.isEmpty)
        }
    }
}
