import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: what is done to a key by `fgctl` reaches the services in the time the contract gives.
    @Suite struct KeyTests {
        @Test func aRevokedKeyIsRefusedWithinFifteenSeconds() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 30)
            let batch = TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1)))
            #expect(try await stack.post(batch, key: app.key("ios")).status == 200)

            try await stack.fgctl("key", "revoke", app.key("ios")).requireSuccess()

            let refusal = try await wait(for: "the key is refused", seconds: 15) {
                let answer = try await stack.post(batch, key: app.key("ios"))
                return answer.status == 200 ? nil : answer
            }
            #expect(refusal.status == 401)
            #expect(refusal.errorCode == "invalid_app_key")
            // The other key of the app goes on.
            #expect(try await stack.post(batch, key: app.anyKey).status == 200)
        }

        @Test func anIssuedKeyIsAcceptedWithinFifteenSeconds() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 31)
            let batch = TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1)))

            let issued = try await stack.fgctl("key", "issue", "--app", app.id, "--platform", "web")
                .requireSuccess()

            #expect(issued["platform"] == "web")
            let key = try #require(issued["key"].string)
            try await stack.waitUntilKnown(key)
            #expect(try await stack.post(batch, key: key).json["accepted"] == 2)
        }

        @Test func aRevokedSecretKeyIsRefusedAtOnce() async throws {
            let stack = try Stack.shared()
            let created = try await stack.fgctl("api-key", "create", "--scope", "read").requireSuccess()
            let key = try #require(created["key"].string)
            #expect(try await stack.read("/v1/apps", key: key).status == 200)

            let prefix = try #require(created["prefix"].string)
            try await stack.fgctl("api-key", "revoke", prefix).requireSuccess()

            #expect(try await stack.read("/v1/apps", key: key).status == 401)
        }

        @Test func aKeyOfOneAppSeesNoOther() async throws {
            let stack = try Stack.shared()
            let (own, other) = (try await stack.createApp(), try await stack.createApp())
            let key = try await stack.createReadKey(app: own)

            let apps = try await stack.read("/v1/apps", key: key).json["items"].list

            #expect(apps.map { $0["id"].string } == [own.id])
            #expect(try await stack.read("/v1/apps/\(other.id)", key: key).status == 404)
        }
    }
}
