import Kafka
import Postgres
import Testing

extension PipelineTests {
    /// Goal: a span of the topic can be stored once more beside running aggregators, and only what was missing is added.
    @Suite struct ReplayTests {
        private func filled(_ stack: Stack, seed: UInt64, batches: Int = 30) async throws -> Ledger {
            let app = try await stack.createApp()
            var ledger = Ledger()
            var world = World(seed: seed)
            for batch in world.batches(batches) {
                try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
            }
            try await stack.closeDays()
            return ledger
        }

        /// Of the events' topic alone: rejections are stored at their own pace.
        private func offsets(_ stack: Stack) async throws -> [String] {
            try await stack.database.use { connection in
                try await connection.rows(
                    """
                    SELECT ROW(partition, next_offset)::text FROM consumer_offsets
                    WHERE topic = \(stack.topic) ORDER BY 1 LIMIT 100
                    """
                ) { try $0.string(0) }
            }
        }

        @Test func afterACleanRunNothingIsNew() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let ledger = try await filled(stack, seed: 1)
                let (tables, offsets) = (try await stack.tables(), try await offsets(stack))

                let json = try await stack.fgctl("replay", "--from", "0").requireSuccess()

                #expect(
                    json.names == [
                        "topic", "dry_run", "messages", "events", "new_events", "known_events",
                        "set_aside_messages", "partitions",
                    ]
                )
                #expect(json["new_events"] == 0)
                #expect(json["events"].int ?? 0 >= ledger.accepted.count)
                #expect(json["set_aside_messages"] == 0)
                #expect(try await stack.tables() == tables)
                #expect(try await self.offsets(stack) == offsets)
            }
        }

        @Test func whatWasMissingIsAddedAndADryRunSaysSoBefore() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let ledger = try await filled(stack, seed: 2)
                try await stack.database.use { try await $0.script("DELETE FROM events WHERE kind = 2") }
                let kept = try await stack.database.count("SELECT count(*) FROM events")
                let missing = ledger.accepted.count - kept
                try #require(missing > 0)

                let rehearsal = try await stack.fgctl("replay", "--from", "0", "--dry-run").requireSuccess()
                #expect(rehearsal["new_events"].int == missing)
                #expect(rehearsal["dry_run"] == true)
                #expect(try await stack.database.count("SELECT count(*) FROM events") == kept)

                let json = try await stack.fgctl("replay", "--from", "0").requireSuccess()
                #expect(json["new_events"].int == missing)
                #expect(json["events"] == rehearsal["events"])
                try await ledger.check(against: stack)
            }
        }

        @Test func aSpanIsCutByPartitionOffsetAndTime() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                _ = try await filled(stack, seed: 3)
                let all = try await stack.fgctl("replay", "--from", "0").requireSuccess()
                let partition = all["partitions"][1]
                let end = partition["to"].int ?? 0
                try #require(end > 3)

                let some = try await stack.fgctl(
                    "replay",
                    "--from",
                    "1",
                    "--to",
                    "3",
                    "--partition",
                    "1"
                ).requireSuccess()
                #expect(some["messages"] == 2)
                let past = try await stack.fgctl("replay", "--from", "2020-01-01", "--to", "2020-01-02")
                    .requireSuccess()
                #expect(past["messages"] == 0)
                let since = try await stack.fgctl("replay", "--from", "2020-01-01").requireSuccess()
                #expect(since["messages"] == all["messages"])
                let missing = try await stack.fgctl("replay", "--from", "0", "--partition", "99")
                #expect(missing.exitCode == 1)
            }
        }

        @Test func poisonInTheSpanIsSetAsideOnce() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                try await TopicTool.withProducer(of: stack) { producer in
                    try await producer.publish(Array("{".utf8), key: [1], to: stack.topic)
                }
                let ledger = try await filled(stack, seed: 4, batches: 5)
                let rehearsal = try await stack.fgctl("replay", "--from", "0", "--dry-run").requireSuccess()
                let json = try await stack.fgctl("replay", "--from", "0").requireSuccess()

                #expect(rehearsal["set_aside_messages"] == 1)
                #expect(json["set_aside_messages"] == 1)
                #expect(json["new_events"] == 0)
                #expect(try await stack.database.count("SELECT count(*) FROM set_aside_messages") == 1)
                try await ledger.check(against: stack)
            }
        }
    }
}
