import Contracts
import Kafka
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: the rejections topic tells what the Integration page shows, and nothing an event held.
    @Suite struct RejectionsTopicTests {
        private static let secrets = [
            "jo@example.com", "checkout_opened", "Secret Phone 9", "tvOS 17 private", "203.0.113.77",
            "not-a-uuid-4711",
        ]

        /// Waits until the topic holds so many items of an app with a platform: those of the key that asks whether ingest knows the app have none.
        private func items(_ count: Int, of app: TestApp, in stack: Stack) async throws -> [KafkaMessage] {
            try await wait(for: "\(count) rejections") {
                let all = try await TopicTool.messages(of: stack, topic: stack.rejectionsTopic)
                let own = try all.filter { message in
                    let json = try JSON(parsing: message.payload ?? [])
                    return json["app_id"].string == app.id && json["items"][0]["platform"] != nil
                }
                let found = try own.reduce(0) { try $0 + JSON(parsing: $1.payload ?? [])["items"].list.count }
                return found >= count ? own : nil
            }
        }

        private func spoilt() -> Draft {
            let context: JSON = [
                "app_version": "3.4.0", "device_model": "Secret Phone 9", "os_name": "tvOS 17 private",
            ]
            return Draft(
                Draft.event(["user_id": "jo@example.com", "context": context]),
                Draft.event(["name": "checkout_opened", "context": ["platform": "android"]]),
                Draft.event(["insert_id": "not-a-uuid-4711"]),
                Draft.event(["context": ["platform": "tvos-private"]]),
                Draft.event(),
                members: ["context": ["app_version": "3.3.9", "ip": "203.0.113.77"]]
            )
        }

        @Test func tellsWhatWasTurnedAwayAndNothingElse() async throws {
            let world = try Conformance.shared()
            let app = try await world.stack.createApp(platforms: ["ios", "web"])
            let draft = spoilt()
            #expect(try await world.post(draft, [("X-App-Key", app.key("ios"))]).json["accepted"] == 1)

            let messages = try await items(4, of: app, in: world.stack)

            let message = try #require(messages.first)
            #expect(messages.count == 1)
            #expect(message.key == UUID128(app.id)?.bytes)
            let json = try JSON(parsing: message.payload ?? [])
            #expect(json.names == ["v", "app_id", "received_at", "items"])
            #expect(json["v"] == 1)
            func id(_ index: Int) -> JSON { draft.events[index]["insert_id"] ?? nil }
            #expect(
                json["items"].list == [
                    [
                        "code": "user_id_looks_like_pii", "field": "user_id", "insert_id": id(0),
                        "platform": "ios",
                        "app_version": "3.4.0",
                    ],
                    [
                        "code": "unknown_event_name", "field": "name", "insert_id": id(1),
                        "platform": "android",
                        "app_version": "3.3.9",
                    ],
                    [
                        "code": "invalid_field", "field": "insert_id", "platform": "ios",
                        "app_version": "3.3.9",
                    ],
                    [
                        "code": "invalid_field", "field": "context.platform", "insert_id": id(3),
                        "platform": "ios",
                        "app_version": "3.3.9",
                    ],
                ]
            )
            let text = String(decoding: message.payload ?? [], as: UTF8.self)
            let ids = draft.events.flatMap { [$0["install_id"]?.string, $0["session_id"]?.string] }.compactMap
            { $0 }
            for secret in Self.secrets + ids + ["tvos-private", app.key("ios"), HTTPCall.clientAddress] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }

        @Test func tellsOfABatchThatWasRefusedAsAWhole() async throws {
            let world = try Conformance.shared()
            let app = try await world.stack.createApp(platforms: ["ios", "web"])
            var headless = spoilt()
            headless.members["sent_at"] = nil
            #expect(try await world.post(headless, [("X-App-Key", app.key("web"))]).status == 400)

            let messages = try await items(1, of: app, in: world.stack)

            let json = try JSON(parsing: messages[0].payload ?? [])
            #expect(json["items"].list == [["code": "invalid_batch", "field": "sent_at", "platform": "web"]])
        }

        /// A page's beacon carries its key in the body.
        @Test func tellsOfARefusedBeacon() async throws {
            let world = try Conformance.shared()
            let app = try await world.stack.createApp(platforms: ["ios", "web"])
            var beacon = Draft(events: [], members: ["app_key": .text(app.key("web"))])
            beacon.members["context"] = nil
            let answer = try await world.post(beacon, [("X-App-Key", nil), ("Content-Type", "text/plain")])
            #expect(answer.status == 400)

            let messages = try await items(1, of: app, in: world.stack)

            let json = try JSON(parsing: messages[0].payload ?? [])
            #expect(json["items"].list == [["code": "invalid_batch", "field": "events", "platform": "web"]])
        }
    }
}
