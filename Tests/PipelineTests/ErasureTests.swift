import Postgres
import ServiceKit
import Testing

extension PipelineTests {
    /// Goal: a person that was erased is nowhere any more, and stays away whatever is delivered again.
    ///
    /// Method: the real services store a seeded world and one person beside it; the person is erased, the topic replayed from its beginning,
    /// and everything written anywhere is searched for the person's identifiers.
    @Suite struct ErasureTests {
        @Test(arguments: [2_027])
        func anErasedPersonIsGoneAndStaysAway(seed: UInt64) async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                let app = try await stack.createApp(timezone: "Asia/Kathmandu")
                var world = World(seed: seed)
                for batch in world.batches(15) { _ = try await stack.post(batch, key: app.anyKey) }
                try await stack.closeDays()
                let reports = try await Reports(stack, app)
                let range = world.range
                let others = try await reports.snapshot(from: range.from, to: range.to)
                let events = try await stack.database.count("SELECT count(*) FROM events")
                try #require(events > 30)

                let person = Person(seed: seed)
                for batch in person.batches { _ = try await stack.post(batch, key: app.anyKey) }
                try await stack.closeDays()
                #expect(try await reports.snapshot(from: range.from, to: range.to) != others)

                try await erase("--user", person.user, app, stack)
                try await expectGone(person, events: events, app, stack)
                #expect(try await reports.snapshot(from: range.from, to: range.to) == others)

                #expect(try await stack.running(.aggregator).process.terminate() == 0)
                _ = try await stack.database.use {
                    try await $0.execute("DELETE FROM consumer_offsets WHERE topic = \(stack.topic)")
                }
                let aggregator = try await stack.start(.aggregator)
                #expect(try await stack.closeDays()["messages_awaited"].int ?? 0 > 0)
                #expect(
                    try await aggregator.metric("foreground_aggregator_suppressed_total")
                        == Double(person.eventCount)
                )
                try await expectGone(person, events: events, app, stack)
                #expect(try await reports.snapshot(from: range.from, to: range.to) == others)

                try await comeBack(person, events: events, app, stack)
            }
        }

        @Test func aForeignKeyEndsTheServiceAtOnce() async throws {
            try await Stack.run([.aggregator]) { stack in
                var settings = try stack.settings(of: .aggregator)
                settings["ERASURE_HASH_KEY"] = "not the key that was used before, though long"
                let process = try stack.launch(.aggregator, settings)
                #expect(try await process.exitCode() == 78)
                #expect(process.logged("bad_setting").map { $0["setting"].string } == ["ERASURE_HASH_KEY"])
            }
        }

        /// A killed worker's request is taken up by the next one.
        @Test func aKilledAggregatorLeavesAnErasureToTheNext() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                let person = Person(seed: 3)
                for batch in person.batches { _ = try await stack.post(batch, key: app.anyKey) }
                try await stack.closeDays()
                // The erasure marks days before it can end, and waits here.
                let blocker = try await stack.database.connect()
                try await blocker.script("BEGIN; LOCK TABLE dirty_days IN ACCESS EXCLUSIVE MODE")
                let id = try await create("--user", person.user, app, stack)
                try await wait(until: "the erasure waits for the lock") {
                    try await stack.database.count(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = \(stack.database.name) AND wait_event_type = 'Lock'
                          AND application_name = 'foreground-aggregator erasure'
                        """
                    ) == 1
                }
                try await stack.running(.aggregator).process.kill()
                try await blocker.script("ROLLBACK")
                await blocker.close()
                #expect(try await stack.fgctl("erasure", "show", id).json["status"] == "running")
                _ = try await stack.start(.aggregator, ["KAFKA_GROUP": stack.database.name + ".next"])
                try await waitUntilDone(id, stack)
                try await expectGone(person, events: 0, app, stack)
            }
        }

        private func create(_ option: String, _ value: String, _ app: TestApp, _ stack: Stack) async throws
            -> String
        {
            let made = try await stack.fgctl("erasure", "create", "--app", app.id, option, value)
                .requireSuccess()
            return made["id"].string ?? ""
        }

        private func erase(_ option: String, _ value: String, _ app: TestApp, _ stack: Stack) async throws {
            try await waitUntilDone(try await create(option, value, app, stack), stack)
        }

        private func waitUntilDone(_ id: String, _ stack: Stack) async throws {
            try await wait(until: "the request is done") {
                let shown = try await stack.fgctl("erasure", "show", id).requireSuccess()
                try #require(shown["status"] != "failed", "\(shown["error"])")
                return shown["status"] == "done"
            }
        }

        private func expectGone(_ person: Person, events: Int, _ app: TestApp, _ stack: Stack) async throws {
            #expect(try await stack.database.count("SELECT count(*) FROM events") == events)
            for (option, value) in [("--user", person.user)] + person.installs.map({ ("--install", $0) }) {
                let verified = try await stack.fgctl("erasure", "verify", "--app", app.id, option, value)
                #expect(verified.exitCode == 0, "\(verified.json)")
            }
            let needles = [person.user] + person.installs
            for written in try await stack.writtenColumns() {
                let text = String(decoding: written.bytes, as: UTF8.self)
                #expect(!needles.contains { text.contains($0) }, "\(written.name)")
            }
            for process in stack.logs {
                let log = process.logText
                #expect(!needles.contains { log.contains($0) }, "\(process.name)")
            }
        }

        /// What is sent after the end belongs to somebody new.
        private func comeBack(_ person: Person, events: Int, _ app: TestApp, _ stack: Stack) async throws {
            var make = EventMaker(seed: 99)
            let session = make.session(
                at: SystemWallClock().nowMs() - 1_000,
                install: person.installs[0],
                user: person.user,
                durationMs: 500
            )
            // The session began before now and after the request, which the whole replay lies between.
            _ = try await stack.post(TestBatch(events: session), key: app.anyKey)
            try await stack.closeDays()
            #expect(try await stack.database.count("SELECT count(*) FROM events") == events + 2)
        }
    }
}

/// Somebody with two installs, anonymous first on one of them.
private struct Person {
    let user: String
    let installs: [String]
    let batches: [TestBatch]

    var eventCount: Int { batches.reduce(0) { $0 + $1.events.count } }

    init(seed: UInt64) {
        var make = EventMaker(seed: seed &* 31)
        let days = TestDays()
        user = "erased-\(seed)-person"
        installs = [make.uuid(), make.uuid()]
        var batches: [TestBatch] = []
        for (daysAgo, install, isNamed) in [
            (5, 0, false), (4, 0, true), (3, 1, true), (2, 0, false), (2, 1, false),
        ] {
            batches.append(
                TestBatch(
                    events: make.session(
                        at: days.noon(daysAgo: daysAgo),
                        install: installs[install],
                        user: isNamed ? user : nil
                    )
                )
            )
        }
        self.batches = batches
    }
}
