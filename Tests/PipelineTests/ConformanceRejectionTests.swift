import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: every row of the table of rejected events, with the field it names, costs that event and nothing else.
    @Suite struct RejectionTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let code: String
            let field: String
            let event: [String: JSON]
            var isOfBatch = false
            let testDescription: String

            init(_ code: String, _ field: String, _ changes: [String: JSON], _ note: String = "") {
                (self.code, self.field, event) = (code, field, Draft.event(changes))
                testDescription = "\(code) \(field) \(note)"
            }

            init(missing field: String) {
                (code, self.field, testDescription) = ("missing_field", field, "without \(field)")
                var event = Draft.event()
                event[field] = nil
                self.event = event
            }
        }

        private static let required = ["insert_id", "name", "timestamp", "install_id", "session_id"]
        private static let ids = ["insert_id", "install_id", "session_id"]
        private static let noIDs: [JSON] = [
            "x", "", 7, "00000000-0000-0000-0000-000000000000", "0b57c3a2c8a24ee39f12f7b1f0a54a11",
            "{0b57c3a2-c8a2-4ee3-9f12-f7b1f0a54a11}", "0b57c3a2-c8a2-4ee3-9f12-f7b1f0a54a1", [], true,
            "0b57c3a2-c8a2-4ee3-9f12-f7b1f0a54a1g",
        ]
        private static let noTimes: [JSON] = [
            "2026-10-14T09:15:02", "2026-10-14 09:15:02Z", "2026-10-14", "2026-02-30T00:00:00Z",
            "2026-10-14T24:00:00Z", "2026-10-14T09:15:02+0300", "2026-10-14T09:15:02,5Z", "", 1_791_979_200,
            "2026-10-14T09:15:02+24:00", "2026-10-14T09:15Z",
        ]
        private static let noUsers: [JSON] = [
            "", "   ", 7, true, [], "a\u{0}b", "a\nb", .text(String(repeating: "a", count: 129)),
            .text(String(repeating: "я", count: 129)),
        ]
        private static let noDurations: [JSON] = [-1, 86_400_001, .number(1.5), "5", [], true]
        private static let persons = [
            "jo@example.com", "JO@EXAMPLE.CO.UK", " jo@example.com ", "jo%40example.com",
            "mailto:jo@example.com",
            "+79161234567", "+7 916 123-45-67", "(916) 123-45-67", "916-123-4567", "tel:+79161234567",
        ]

        static let rows: [Row] =
            required.map { Row(missing: $0) }
            + required.map { Row("missing_field", $0, [$0: nil], "null") }
            + ids.flatMap { id in noIDs.map { Row("invalid_field", id, [id: $0], "\($0)") } }
            + noTimes.map { Row("invalid_field", "timestamp", ["timestamp": $0], "\($0)") }
            + noUsers.map { Row("invalid_field", "user_id", ["user_id": $0], "\($0)") }
            + noDurations.map { Row("invalid_field", "duration_ms", ["duration_ms": $0], "\($0)") }
            + persons.map { Row("user_id_looks_like_pii", "user_id", ["user_id": .text($0)], $0) }
            + [
                Row("invalid_field", "name", ["name": 7]),
                Row("unknown_event_name", "name", ["name": "screen_view"]),
                Row("unknown_event_name", "name", ["name": "Session_Start"]),
                Row("unknown_event_name", "name", ["name": ""]),
                Row("duration_required", "duration_ms", ["name": "session_end"]),
                Row("duration_required", "duration_ms", ["name": "session_end", "duration_ms": nil]),
                Row("invalid_field", "context", ["context": 7]),
            ] + contexts

        private static let contexts: [Row] = [
            ("platform", "tvos"), ("platform", "iOS"), ("platform", 7), ("device_type", "fridge"),
            ("environment", "staging"), ("os_name", 7), ("os_name", text(65)), ("os_version", text(65)),
            ("app_version", text(65)), ("app_build", text(65)), ("device_model", text(129)),
            ("locale", text(36)), ("device_model", "a\u{0}b"),
        ].map { Row("invalid_field", "context.\($0)", ["context": [$0: $1]], "\($1)") }

        private static func text(_ count: Int) -> JSON { .text(String(repeating: "ж", count: count)) }

        /// Method: all in one batch, among good events; the batch holds more than the table has.
        @Test func everyRowCostsItsEventOnly() async throws {
            let world = try Conformance.shared()
            let events = Self.rows.map(\.event).flatMap { [$0, Draft.event()] }
            try #require(events.count <= 500)

            let answer = try await world.post(Draft(events: events))

            #expect(answer.status == 200)
            #expect(answer.json["accepted"].int == Self.rows.count)
            #expect(answer.json["warnings"] == [])
            let rejected = answer.json["rejected"].list
            try #require(rejected.count == Self.rows.count)
            for (number, row) in Self.rows.enumerated() {
                let told = rejected[number]
                #expect(told["index"].int == 2 * number, "\(row.testDescription)")
                #expect(told["code"].string == row.code, "\(row.testDescription)")
                #expect(
                    told["field"].string == "events[\(2 * number)].\(row.field)",
                    "\(row.testDescription)"
                )
                #expect(told["retryable"] == false)
                #expect(told["message"].string?.isEmpty == false)
                #expect(told.names == ["index", "insert_id", "code", "field", "message", "retryable"])
            }
            let known = Set(events.compactMap { $0["insert_id"]?.string })
            for told in rejected where told["field"].string?.hasSuffix("insert_id") == false {
                #expect(told["insert_id"].string.map(known.contains) == true)
            }
        }

        @Test func theOnesBesideThemAreInTheTopic() async throws {
            let world = try Conformance.shared()
            let draft = Draft(Draft.event(), Draft.event(["name": "x"]), Draft.event())

            #expect(try await world.post(draft).json["accepted"] == 2)

            let good = try await world.stored(draft).compactMap { $0.event["insert_id"].string }
            #expect(good == [draft.events[0], draft.events[2]].compactMap { $0["insert_id"]?.string })
        }

        @Test(arguments: [7, "x", nil, [], true] as [JSON])
        func anEventThatIsNoObjectIsRejectedByItself(element: JSON) async throws {
            var draft = Draft()
            draft.members["events"] = .list([.object(Draft.event()), element])
            let body = JSON.object(draft.members).bytes

            let answer = try await Conformance.shared().post(body)

            #expect(answer.json["accepted"] == 1)
            let told = answer.json["rejected"][0]
            #expect(told["index"] == 1)
            #expect(told["code"] == "invalid_field")
            #expect(told["field"] == "events[1]")
            #expect(told["insert_id"] == nil)
        }

        @Test func aFieldOfTheBatchContextIsNamedAsTheBatchs() async throws {
            let draft = Draft(Draft.event(), members: ["context": ["platform": "tvos"]])

            let told = try await Conformance.shared().post(draft).json["rejected"][0]

            #expect(told["code"] == "invalid_field")
            #expect(told["field"] == "context.platform")
        }

        @Test func anUnpairedSurrogateCostsItsEventOnly() async throws {
            let good = String(decoding: JSON.object(Draft.event()).bytes, as: UTF8.self)
            let bad = String(decoding: JSON.object(Draft.event(["user_id": "HERE"])).bytes, as: UTF8.self)
                .replacing("HERE", with: #"\ud800"#)
            let sentAt = Draft().members["sent_at"]?.string ?? ""
            let body = #"{"sent_at":"\#(sentAt)","events":[\#(good),\#(bad)]}"#

            let answer = try await Conformance.shared().post(Array(body.utf8))

            #expect(answer.json["accepted"] == 1)
            #expect(answer.json["rejected"][0]["field"] == "events[1].user_id")
        }

        @Test(arguments: [
            "1234567890", "79161234567", "0b57c3a2-c8a2-4ee3-9f12-f7b1f0a54a11", "acct_42", "a@b", "user+tag",
            "@jo",
            "20261130-000123", "10.0.0.1", "2026-11-30",
        ])
        func whatOnlyLooksAlikeIsAccepted(user: String) async throws {
            let answer = try await Conformance.shared().post(Draft(Draft.event(["user_id": .text(user)])))

            #expect(answer.json["accepted"] == 1)
        }
    }
}
