import Postgres
import Testing

extension PipelineTests {
    /// Goal: an aggregator that dies between writing and committing loses nothing and repeats nothing.
    ///
    /// Method: a lock held by the test stops the storing transaction after it has inserted events; then the aggregator is killed.
    @Suite struct KilledAggregatorTests {
        @Test func whatWasNotCommittedIsStoredByTheNextOne() async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                var world = World(seed: 7)
                let app = try await stack.createApp()
                var ledger = Ledger()
                for batch in world.batches(5) {
                    try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
                }
                // Everything so far is stored, and no closing is under way that the lock would meet.
                try await stack.closeDays()
                let before = try await stack.database.count("SELECT count(*) FROM events")

                let blocker = try await stack.database.connect()
                try await blocker.script("BEGIN; LOCK TABLE dirty_days IN ACCESS EXCLUSIVE MODE")
                for batch in world.batches(10) {
                    try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
                }
                try await waitUntilBlocked(stack)
                try await stack.running(.aggregator).process.kill()
                try await blocker.script("ROLLBACK")
                await blocker.close()
                // The server rolls back what the dead client left: nobody sees half a batch.
                try await waitUntilGone(stack)
                #expect(try await stack.database.count("SELECT count(*) FROM events") == before)

                // Offsets live in Postgres, so another group goes on just as well; and the development broker, unlike Kafka,
                // would wait for the dead member of the old one for ever.
                _ = try await stack.start(.aggregator, ["KAFKA_GROUP": stack.database.name + ".next"])
                try await stack.closeDays()

                try await ledger.check(against: stack)
                let sessions = try await stack.database.count(
                    "SELECT count(DISTINCT session_id) FROM events WHERE kind = 1 AND environment = 0"
                )
                let reports = try await Reports(stack, app)
                let range = world.range
                #expect(try await reports.summary(from: range.from, to: range.to)["sessions"].int == sessions)
            }
        }

        /// The storing transaction has written to the events and waits for the lock on the days.
        private func waitUntilBlocked(_ stack: Stack) async throws {
            try await wait(until: "the storing transaction waits for the lock") {
                try await stack.database.count(
                    """
                    SELECT count(*) FROM pg_stat_activity a
                    WHERE a.datname = \(stack.database.name) AND a.application_name = 'foreground-aggregator store'
                      AND a.wait_event_type = 'Lock' AND a.query LIKE '%INSERT INTO dirty_days%'
                      AND EXISTS (
                        SELECT FROM pg_locks l JOIN pg_inherits i ON i.inhrelid = l.relation
                        WHERE l.pid = a.pid AND l.granted AND l.mode = 'RowExclusiveLock'
                          AND i.inhparent = 'events'::regclass)
                    """
                ) == 1
            }
        }

        private func waitUntilGone(_ stack: Stack) async throws {
            try await wait(until: "the dead client's session ends") {
                try await stack.database.count(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = \(stack.database.name) AND application_name = 'foreground-aggregator store'
                    """
                ) == 0
            }
        }
    }
}
