import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: every row of the table of warnings comes with its event, which is accepted.
    @Suite struct WarningTests {
        private func warnings(_ answer: HTTPAnswer) -> [JSON] { answer.json["warnings"].list }

        /// `timestamp_in_future_clamped` is among the boundaries.
        @Test func aRepeatWithinTheBatchIsAcceptedAndSkipped() async throws {
            let world = try Conformance.shared()
            let first = Draft.event(["user_id": "first"])
            var copy = Draft.event(["user_id": "second"])
            copy["insert_id"] = first["insert_id"]
            var upper = copy
            upper["insert_id"] = first["insert_id"]?.string.map { .text($0.uppercased()) }
            let draft = Draft(first, copy, upper, Draft.event())

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 4)
            #expect(answer.json["rejected"] == [])
            #expect(warnings(answer).map { $0["index"] } == [1, 2])
            for warning in warnings(answer) {
                #expect(warning["code"] == "duplicate_insert_id_in_batch")
                #expect(warning["insert_id"] == first["insert_id"])
                #expect(warning.names == ["index", "insert_id", "code", "message"])
            }
            let id = first["insert_id"]?.string ?? ""
            let stored = try await TopicTool.storedEvents(of: world.stack)[id] ?? []
            #expect(stored.map { $0.event["user_id"].string } == ["first"])
        }

        @Test func aRejectedEventReservesNothing() async throws {
            let world = try Conformance.shared()
            let bad = Draft.event(["name": "x"])
            var good = Draft.event()
            good["insert_id"] = bad["insert_id"]

            let answer = try await world.post(Draft(bad, good))

            #expect(answer.json["accepted"] == 1)
            #expect(warnings(answer) == [])
        }

        @Test func anAddressThatIsNoneCostsOnlyItsPlace() async throws {
            let world = try Conformance.shared()
            let addresses: [JSON] = ["999.1.1.1", "localhost", "1.2.3", 7, true]
            let draft = Draft(
                events: addresses.map { Draft.event(["context": ["ip": $0]]) } + [Draft.event()]
            )

            let answer = try await world.post(draft)

            #expect(answer.json["accepted"] == 6)
            #expect(warnings(answer).map { $0["code"] } == Array(repeating: "geo_ip_invalid", count: 5))
            #expect(warnings(answer).map { $0["index"] } == [0, 1, 2, 3, 4])
            for stored in try await world.stored(draft) {
                #expect(stored.context.names.isDisjoint(with: ["ip", "country", "city"]))
            }
        }

        @Test(arguments: ["none", "203.0.113.9", "2001:db8::1", "::ffff:203.0.113.9", "", nil] as [JSON])
        func anAddressBringsNoWarning(address: JSON) async throws {
            let draft = Draft(Draft.event(), members: ["context": ["platform": "ios", "ip": address]])

            #expect(warnings(try await Conformance.shared().post(draft)) == [])
        }

        @Test func anEventMayRepairTheAddressOfItsBatch() async throws {
            let draft = Draft(
                Draft.event(["context": ["ip": "none"]]),
                Draft.event(),
                members: ["context": ["platform": "ios", "ip": "?"]]
            )

            #expect(warnings(try await Conformance.shared().post(draft)).map { $0["index"] } == [1])
        }

        @Test func aMissingPlatformIsToldOncePerEvent() async throws {
            let world = try Conformance.shared()
            let draft = Draft(Draft.event(), Draft.event(), members: ["context": [:]])

            let answer = try await world.post(draft, [("X-App-Key", world.app.anyKey)])

            #expect(answer.json["accepted"] == 2)
            #expect(warnings(answer).map { $0["code"] } == ["platform_missing", "platform_missing"])
            #expect(warnings(answer).map { $0["index"] } == [0, 1])
            #expect(try await world.stored(draft).map { $0.context["platform"] } == ["other", "other"])
        }
    }

    /// Goal: the platform of an event is found in the contract's order.
    @Suite struct PlatformTests {
        struct Case: Sendable {
            let note: String
            var ofEvent: JSON = nil
            var ofBatch: JSON = nil
            let key: @Sendable (Conformance) -> String
            let expected: JSON
        }

        static let cases = [
            Case(
                note: "event",
                ofEvent: "web",
                ofBatch: "bot",
                key: { $0.app.key("ios") },
                expected: "web"
            ),
            Case(note: "batch", ofBatch: "bot", key: { $0.app.key("ios") }, expected: "bot"),
            Case(note: "key", key: { $0.app.key("web") }, expected: "web"),
            Case(note: "only one", key: { $0.single.anyKey }, expected: "android"),
            Case(note: "none", key: { $0.app.anyKey }, expected: "other"),
            Case(
                note: "not of the app",
                ofBatch: "linux",
                key: { $0.single.anyKey },
                expected: "linux"
            ),
            Case(
                note: "empty",
                ofEvent: "",
                ofBatch: "bot",
                key: { $0.app.anyKey },
                expected: "bot"
            ),
        ]

        @Test func isTakenFromTheFirstPlaceThatNamesOne() async throws {
            let world = try Conformance.shared()
            var drafts: [Draft] = []
            for one in Self.cases {
                let draft = Draft(
                    Draft.event(["context": ["platform": one.ofEvent]]),
                    members: ["context": ["platform": one.ofBatch]]
                )
                drafts.append(draft)
                let answer = try await world.post(draft, [("X-App-Key", one.key(world))])
                #expect(answer.json["accepted"] == 1, "\(one.note)")
                #expect(
                    answer.json["warnings"].list.count == (one.expected == "other" ? 1 : 0),
                    "\(one.note)"
                )
            }

            let stored = try await world.stored(Draft(events: drafts.flatMap(\.events)))

            try #require(stored.count == Self.cases.count)
            for (one, event) in zip(Self.cases, stored) {
                #expect(event.context["platform"] == one.expected, "\(one.note)")
            }
        }

        @Test(arguments: ["ios", "android", "web", "macos", "windows", "linux", "bot", "server", "other"])
        func everyNameOfTheSetIsAccepted(platform: String) async throws {
            let draft = Draft(Draft.event(), members: ["context": ["platform": .text(platform)]])

            #expect(try await Conformance.shared().post(draft).json["accepted"] == 1)
        }

        @Test func anEventOverridesItsBatchFieldByField() async throws {
            let world = try Conformance.shared()
            let draft = Draft(
                Draft.event(["context": ["app_version": "2.0", "os_name": nil]]),
                members: [
                    "context": [
                        "platform": "ios", "app_version": "1.0", "os_name": "tvOS", "device_type": "tv",
                    ]
                ]
            )

            #expect(try await world.post(draft).json["accepted"] == 1)

            let context = try await world.stored(draft).first?.context
            #expect(
                context == [
                    "environment": "production", "platform": "ios", "app_version": "2.0", "os_name": "tvOS",
                    "device_type": "tv",
                ]
            )
        }
    }
}
