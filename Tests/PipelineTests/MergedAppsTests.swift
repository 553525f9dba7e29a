import Postgres
import Testing

extension PipelineTests {
    /// Goal: two apps that are merged while both are in use become one without an event lost or counted twice, and old keys go on working.
    ///
    /// Method: batches of one world to both apps, before, during and after the merge; the aggregator is stopped in the middle of it. In the end
    /// the whole topic is replayed, in which most of the source's messages still name the source.
    @Suite struct MergedAppsTests {
        private static let quick = ["AGGREGATOR_APP_CHANGES_INTERVAL_MS": "100"]

        @Test(arguments: [3])
        func twoAppsBecomeOne(seed: UInt64) async throws {
            try await Stack.run([.ingest, .reader]) { stack in
                let aggregator = try await stack.start(.aggregator, Self.quick)
                var world = World(seed: seed)
                let target = try await stack.createApp(platforms: ["android"], timezone: "America/New_York")
                let source = try await stack.createApp(platforms: ["ios"])
                let sourceReports = try await Reports(stack, source)
                var ledger = Ledger()
                for batch in world.batches(30) {
                    let key = [target.anyKey, source.anyKey, source.key("ios")].randomElement() ?? ""
                    try ledger.note(batch, try await stack.post(batch, key: key))
                }
                try await stack.closeDays()
                try await fillErasureLedger(of: target, stack)

                try await stack.fgctl(
                    "app",
                    "merge",
                    "--from",
                    source.id,
                    "--into",
                    target.id,
                    "--confirm",
                    "Pipeline"
                ).requireSuccess()
                for batch in world.batches(5) {
                    try ledger.note(batch, try await stack.post(batch, key: source.anyKey))
                }
                #expect(try await aggregator.process.terminate() == 0)
                for batch in world.batches(5) {
                    try ledger.note(batch, try await stack.post(batch, key: target.anyKey))
                }
                _ = try await stack.start(.aggregator, Self.quick)
                try await wait(until: "the merge is done", seconds: 60) {
                    try await stack.database.count("SELECT count(*) FROM app_merges WHERE status = 'done'")
                        == 1
                }
                let late = world.batch()
                try ledger.note(late, try await stack.post(late, key: source.key("ios")))

                try await stack.closeDays()
                try await ledger.check(against: stack)
                let reports = try await Reports(stack, target)
                let range = world.range
                let sessions = try await stack.database.count(
                    "SELECT count(DISTINCT session_id) FROM events WHERE kind = 1 AND environment = 0"
                )
                #expect(try await reports.summary(from: range.from, to: range.to)["sessions"].int == sessions)
                #expect(try await stack.database.count("SELECT count(*) FROM apps") == 1)
                // The source's secret key went with it, and a key of every app finds nothing there.
                let everything = try await stack.createReadKey()
                #expect(try await stack.read("/v1/apps", key: sourceReports.key).status == 401)
                #expect(try await stack.read("/v1/apps/\(source.id)", key: everything).status == 404)

                let shown = try await reports.snapshot(from: range.from, to: range.to)
                #expect(try await stack.running(.aggregator).process.terminate() == 0)
                try await stack.rewindOffsets()
                _ = try await stack.start(.aggregator, Self.quick)
                let closed = try await stack.closeDays()
                #expect(closed["messages_awaited"].int ?? 0 > 0)
                try await ledger.check(against: stack)
                #expect(try await reports.snapshot(from: range.from, to: range.to) == shown)
                #expect(try await stack.database.count("SELECT count(*) FROM set_aside_messages") == 0)
            }
        }

        /// With names in the ledger nothing is stored without the key: what moves events has to have it as well.
        private func fillErasureLedger(of app: TestApp, _ stack: Stack) async throws {
            let made = try await stack.fgctl("erasure", "create", "--app", app.id, "--user", "nobody here")
            let id = try #require(try made.requireSuccess()["id"].string)
            try await wait(until: "the erasure is done") {
                try await stack.fgctl("erasure", "show", id).requireSuccess()["status"] == "done"
            }
        }

        @Test func aDeletedAppLeavesNothingAndItsMessagesAreNobodys() async throws {
            try await Stack.run([.ingest]) { stack in
                let aggregator = try await stack.start(.aggregator, Self.quick)
                var world = World(seed: 11)
                let app = try await stack.createApp()
                let other = try await stack.createApp()
                var ledger = Ledger()
                for batch in world.batches(5) {
                    _ = try await stack.post(batch, key: app.anyKey)
                }
                let kept = world.batch()
                try ledger.note(kept, try await stack.post(kept, key: other.anyKey))
                try await stack.closeDays()
                try await stack.fgctl("app", "delete", "--app", app.id, "--confirm", "Pipeline")
                    .requireSuccess()
                try await wait(until: "the key is refused", seconds: 15) {
                    try await stack.post(world.batch(), key: app.anyKey).status == 401
                }
                try await wait(until: "the deletion is done", seconds: 60) {
                    try await stack.database.count("SELECT count(*) FROM app_deletions WHERE status = 'done'")
                        == 1
                }
                #expect(try await aggregator.process.terminate() == 0)
                try await stack.rewindOffsets()
                _ = try await stack.start(.aggregator, Self.quick)
                try await stack.closeDays()
                try await ledger.check(against: stack)
                #expect(
                    try await stack.database.count(
                        "SELECT count(*) FROM set_aside_messages WHERE reason = 'unknown_app'"
                    )
                        > 0
                )
                #expect(
                    try await stack.database.count(
                        "SELECT count(*) FROM set_aside_messages WHERE payload <> ''"
                    ) == 0
                )
            }
        }
    }
}
