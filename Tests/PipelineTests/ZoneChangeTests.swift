import Postgres
import Testing

extension PipelineTests {
    /// Goal: a zone changes while an app sends, with the services as they run, and no figure is lost, doubled or of two zones.
    ///
    /// Method: two changes right after each other, an aggregator killed while it builds, and a second one that closes and refreshes all the
    /// time. In the end reports are compared with an app that got the same batches and always had the final zone.
    @Suite struct ZoneChangeTests {
        private static let final = "Asia/Kathmandu"
        private static let batchesMeanwhile = 80

        @Test func changesUnderLiveTrafficEndAsAFreshImport() async throws {
            try await Stack.run([.ingest, .reader]) { stack in
                let pace = ["AGGREGATOR_CLOSE_INTERVAL_MS": "300", "AGGREGATOR_REFRESH_INTERVAL_MS": "100"]
                let first = try await stack.start(.aggregator, pace)
                let app = try await stack.createApp(timezone: "UTC")
                let fresh = try await stack.createApp(timezone: Self.final)
                var world = World(seed: 57, installs: 60)
                let range = world.range
                for batch in world.batches(60) { try await Self.send(batch, to: [app, fresh], stack) }

                async let sending: Void = Self.keepSending(58, to: [app, fresh], stack)
                for zone in ["Asia/Tokyo", Self.final] { try await change(app, to: zone, stack: stack) }
                try await first.process.kill()
                // Another group: the development broker would wait for the dead member for ever.
                let next = pace.merging(["KAFKA_GROUP": stack.database.name + ".next"]) { $1 }
                let second = try await stack.start(.aggregator, next)
                try await wait(until: "the zone has switched", seconds: 60) {
                    try await stack.database.count("SELECT count(*) FROM zone_changes") == 0
                }
                try await sending
                try await stack.closeDays()

                let changed = try await Reports(stack, app).snapshot(from: range.from, to: range.to)
                let expected = try await Reports(stack, fresh).snapshot(from: range.from, to: range.to)
                #expect(changed == expected)
                #expect(changed[0]["sessions"].int ?? 0 > 100)
                #expect(try await second.metric("foreground_aggregator_closing_failures_total") == 0)
                let versions = try await stack.database.count(
                    "SELECT count(DISTINCT (app_no, zone_version)) FROM closed_days"
                )
                #expect(versions == 2)
            }
        }

        @Test func changeAndChangeBackShowsTheSameReports() async throws {
            try await Stack.run([.ingest, .reader]) { stack in
                let pace = ["AGGREGATOR_CLOSE_INTERVAL_MS": "300", "AGGREGATOR_REFRESH_INTERVAL_MS": "100"]
                _ = try await stack.start(.aggregator, pace)
                let app = try await stack.createApp(timezone: "Europe/Berlin")
                var world = World(seed: 8)
                for batch in world.batches(10) { try await Self.send(batch, to: [app], stack) }
                try await stack.closeDays()
                let reports = try await Reports(stack, app)
                let range = world.range
                let before = try await reports.snapshot(from: range.from, to: range.to)
                for zone in ["Pacific/Kiritimati", "Europe/Berlin"] {
                    try await change(app, to: zone, "--wait", stack: stack)
                }
                #expect(try await reports.snapshot(from: range.from, to: range.to) == before)
            }
        }

        private func change(_ app: TestApp, to zone: String, _ options: String..., stack: Stack) async throws
        {
            let words = ["app", "timezone", "--app", app.id, "--timezone", zone]
            try await stack.fgctl(words + options).requireSuccess()
        }

        /// The same batch to each app.
        private static func send(_ batch: TestBatch, to apps: [TestApp], _ stack: Stack) async throws {
            for app in apps { #expect(try await stack.post(batch, key: app.anyKey).status == 200) }
        }

        private static func keepSending(_ seed: UInt64, to apps: [TestApp], _ stack: Stack) async throws {
            var world = World(seed: seed, installs: 60)
            for batch in world.batches(batchesMeanwhile) {
                try await send(batch, to: apps, stack)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
