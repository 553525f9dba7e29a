import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: the borders of a batch are where the contract puts them.
    @Suite struct BatchBorderTests {
        private let days = TestDays()

        private func starts(_ count: Int, _ make: inout EventMaker) -> [TestEvent] {
            (0..<count).map { number in
                make.session(at: days.noon(daysAgo: 1) + Int64(number) * 1_000)[0]
            }
        }

        private func sessions(_ app: TestApp) async throws -> JSON {
            let stack = try Stack.shared()
            try await stack.closeDays()
            let yesterday = days.date(daysAgo: 1)
            return try await Reports(stack, app).summary(from: yesterday, to: yesterday)["sessions"]
        }

        @Test(arguments: [(0, "min_items"), (501, "max_items")])
        func tooFewOrTooManyEventsAreRefusedAsAWhole(count: Int, issue: String) async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 20)

            let answer = try await stack.post(TestBatch(events: starts(count, &make)), key: app.anyKey)

            #expect(answer.status == 400)
            #expect(answer.errorCode == "invalid_batch")
            #expect(answer.json["error"]["details"] == ["field": "events", "issue": .text(issue)])
            #expect(answer.json["error"]["request_id"].string == answer.headers["x-request-id"])
            #expect(try await sessions(app) == 0)
        }

        @Test func fiveHundredEventsAreAccepted() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 21)

            let answer = try await stack.post(TestBatch(events: starts(500, &make)), key: app.anyKey)

            #expect(answer.json["accepted"] == 500)
            #expect(try await sessions(app) == 500)
        }

        @Test func anEventRepeatedInABatchCountsOnceAndIsNamed() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 22)
            let events = starts(2, &make)

            let answer = try await stack.post(
                TestBatch(events: [events[0], events[1], events[0]]),
                key: app.anyKey
            )

            #expect(answer.json["accepted"] == 3)
            #expect(answer.json["rejected"] == [])
            #expect(answer.json["warnings"].list.count == 1)
            #expect(answer.json["warnings"][0]["index"] == 2)
            #expect(answer.json["warnings"][0]["code"] == "duplicate_insert_id_in_batch")
            #expect(answer.json["warnings"][0]["insert_id"] == .text(events[0].insertID))
            #expect(try await sessions(app) == 2)
        }

        @Test func aBatchSentAgainCountsOnce() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 23)
            // Sent again later, so every event gets another corrected time.
            let batch = TestBatch(events: starts(3, &make))
            for _ in 0..<3 {
                #expect(try await stack.post(batch, key: app.anyKey).json["accepted"] == 3)
            }

            #expect(try await sessions(app) == 3)
        }

        @Test func aBadEventDoesNotSinkItsBatch() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 24)
            var events = starts(3, &make)
            events[1].name = "session_end"

            let answer = try await stack.post(TestBatch(events: events), key: app.anyKey)

            #expect(answer.json["accepted"] == 2)
            #expect(answer.json["rejected"][0]["code"] == "duration_required")
            #expect(answer.json["rejected"][0]["index"] == 1)
            #expect(try await sessions(app) == 2)
        }
    }
}
