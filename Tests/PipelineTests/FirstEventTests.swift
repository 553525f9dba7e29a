import ServiceKit
import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: what is posted is what reports show, on its own day and in its own environment, and nothing else.
    @Suite struct FirstEventTests {
        private let days = TestDays()

        @Test func aFirstSessionIsReadBackExactly() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp(platforms: ["ios", "web"])
            var make = EventMaker(seed: 1)
            let events = make.session(at: SystemWallClock().nowMs() - 100_000)

            let answer = try await stack.post(TestBatch(events: events), key: app.key("ios"))
            #expect(answer.status == 200)
            #expect(answer.json.without("server_time") == ["accepted": 2, "rejected": [], "warnings": []])
            let closed = try await stack.closeDays()

            #expect(closed["closed"].int ?? 0 >= 1)
            let reports = try await Reports(stack, app)
            let range = (from: days.date(daysAgo: 6), to: days.date(daysAgo: -1))
            let summary = try await reports.summary(from: range.from, to: range.to)
            #expect(
                summary.without("as_of", "data_through") == [
                    "from": .text(range.from), "to": .text(range.to), "active": 1, "new": 1, "sessions": 1,
                    "avg_duration_ms": 95_000, "median_duration_ms": 95_000, "compare": nil,
                ]
            )
            // It may have become tomorrow meanwhile, so the day is not named: one of the eight has it.
            let series = try await reports.series("sessions", from: range.from, to: range.to)
            #expect(series.count == 8)
            #expect(series.values.filter { $0 == 1 }.count == 1)
            #expect(series.values.filter { $0 == 0 }.count == 7)
        }

        @Test func aLateSessionCountsOnItsOwnDay() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 2)
            let reports = try await Reports(stack, app)
            for daysAgo in [1, 3] {
                let events = make.session(at: days.noon(daysAgo: daysAgo))
                #expect(try await stack.post(TestBatch(events: events), key: app.anyKey).status == 200)
                try await stack.closeDays()
            }

            let series = try await reports.series(
                "sessions",
                from: days.date(daysAgo: 4),
                to: days.date(daysAgo: 1)
            )
            #expect(
                series == [
                    days.date(daysAgo: 4): 0, days.date(daysAgo: 3): 1, days.date(daysAgo: 2): 0,
                    days.date(daysAgo: 1): 1,
                ]
            )
        }

        @Test func aSlowClockIsCorrected() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 3)
            let yearMs: Int64 = 365 * 86_400_000
            var batch = TestBatch(events: make.session(at: days.noon(daysAgo: 1) - yearMs))
            batch.sentAtMs = SystemWallClock().nowMs() - yearMs

            #expect(try await stack.post(batch, key: app.anyKey).json["accepted"] == 2)
            try await stack.closeDays()

            let yesterday = days.date(daysAgo: 1)
            let reports = try await Reports(stack, app)
            #expect(try await reports.summary(from: yesterday, to: yesterday)["sessions"] == 1)
        }

        @Test func aGzippedBatchCountsLikeAnyOther() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 4)
            let batch = TestBatch(events: make.session(at: days.noon(daysAgo: 1)))

            #expect(try await stack.postGzipped(batch, key: app.anyKey).json["accepted"] == 2)
            try await stack.closeDays()

            let yesterday = days.date(daysAgo: 1)
            let reports = try await Reports(stack, app)
            #expect(try await reports.summary(from: yesterday, to: yesterday)["sessions"] == 1)
        }

        @Test func signingInJoinsWhatCameBefore() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 5)
            let (phone, tablet) = (make.uuid(), make.uuid())
            let user = "acct_8f14e45f-pipeline"
            let anonymous = make.session(at: days.noon(daysAgo: 3), install: phone)
            let signedIn = make.session(at: days.noon(daysAgo: 2), install: phone, user: user)
            let elsewhere = make.session(at: days.noon(daysAgo: 1), install: tablet, user: user)
            let reports = try await Reports(stack, app)
            let range = (from: days.date(daysAgo: 3), to: days.date(daysAgo: 1))

            _ = try await stack.post(TestBatch(events: anonymous), key: app.anyKey)
            try await stack.closeDays()
            #expect(try await reports.series("new", from: range.from, to: range.from).values.first == 1)
            for events in [signedIn, elsewhere] {
                _ = try await stack.post(TestBatch(events: events), key: app.anyKey)
            }
            try await stack.closeDays()

            let summary = try await reports.summary(from: range.from, to: range.to)
            #expect(summary["active"] == 1)
            #expect(summary["new"] == 1)
            #expect(summary["sessions"] == 3)
            let new = try await reports.series("new", from: range.from, to: range.to)
            #expect(new == [range.from: 1, days.date(daysAgo: 2): 0, range.to: 0])
        }

        @Test func developmentIsAWorldOfItsOwn() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp()
            var make = EventMaker(seed: 6)
            let install = make.uuid()
            var development = TestBatch(events: make.session(at: days.noon(daysAgo: 2), install: install))
            development.context = ["environment": "development"]
            let production = TestBatch(events: make.session(at: days.noon(daysAgo: 1), install: install))
            for batch in [development, production] {
                #expect(try await stack.post(batch, key: app.anyKey).status == 200)
            }
            try await stack.closeDays()

            var reports = try await Reports(stack, app)
            let range = (from: days.date(daysAgo: 2), to: days.date(daysAgo: 1))
            let seen = try await reports.series("new", from: range.from, to: range.to)
            #expect(seen == [range.from: 0, range.to: 1])
            reports.environment = "development"
            let hidden = try await reports.series("new", from: range.from, to: range.to)
            #expect(hidden == [range.from: 1, range.to: 0])
        }
    }
}
