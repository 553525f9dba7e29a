import Glibc
import Kafka
import Postgres
import Testing

extension PipelineTests {
    /// Goal: what the broker deleted unread is said and counted once, what it still has is stored, and operators see it coming.
    @Suite struct LostOffsetTests {
        private static let lost = "foreground_aggregator_messages_lost_total"

        private func send(_ count: Int, seed: UInt64, _ app: TestApp, _ stack: Stack) async throws -> Ledger {
            var ledger = Ledger()
            var world = World(seed: seed)
            for batch in world.batches(count) {
                try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
            }
            return ledger
        }

        /// Deletes everything the topic holds now; returns how much that is after what is stored.
        private func expireAll(_ stack: Stack) async throws -> Int64 {
            let admin = try KafkaAdmin(settings: ["bootstrap.servers": stack.brokers])
            let rows = try await stack.database.use { connection in
                try await connection.rows(
                    "SELECT partition, next_offset FROM consumer_offsets WHERE topic = \(stack.topic) LIMIT 100"
                ) { (try $0.int32(0), try $0.int64(1)) }
            }
            let stored = Dictionary(uniqueKeysWithValues: rows)
            var unread: Int64 = 0
            for partition in try await admin.partitions(of: stack.topic) {
                let place = KafkaTopicPartition(topic: stack.topic, partition: partition)
                let end = try await admin.watermarks(of: place).high
                unread += end - (stored[partition] ?? end)
                try await admin.deleteRecords(before: [(place, end)])
            }
            return unread
        }

        private func requireEndsBelowStored(_ stack: Stack) async throws {
            let admin = try KafkaAdmin(settings: ["bootstrap.servers": stack.brokers])
            for partition in try await admin.partitions(of: stack.topic) {
                let place = KafkaTopicPartition(topic: stack.topic, partition: partition)
                let end = try await admin.watermarks(of: place).high
                let stored = try await stack.database.count(
                    """
                    SELECT coalesce(max(next_offset), 0) FROM consumer_offsets
                    WHERE topic = \(stack.topic) AND partition = \(partition)
                    """
                )
                try #require(end == 0 || end < stored)
            }
        }

        private func lostCount(_ stack: Stack) async throws -> Double? {
            try await stack.running(.aggregator).metric("\(Self.lost){topic=\"\(stack.topic)\"}")
        }

        @Test func aStoppedAggregatorSaysWhatItMissedAndGoesOn() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                let before = try await send(20, seed: 1, app, stack)
                try await stack.closeDays()
                #expect(try await lostCount(stack) == 0)
                try await stack.running(.aggregator).process.terminate()
                _ = try await send(20, seed: 2, app, stack)
                let unread = try await expireAll(stack)
                try #require(unread > 0)
                #expect(try await stack.fgctl("lag").requireSuccess()["lost_messages"].int == Int(unread))
                let after = try await send(20, seed: 3, app, stack)

                let aggregator = try await stack.start(.aggregator)
                try await stack.closeDays()

                let stored = Set(
                    try await stack.database.texts(
                        "SELECT insert_id::text FROM events ORDER BY 1 LIMIT 100000"
                    )
                )
                #expect(stored == before.accepted.union(after.accepted))
                #expect(try await lostCount(stack) == Double(unread))
                let lines = aggregator.process.logged("offsets_lost")
                #expect(lines.reduce(0) { $0 + ($1["count"].int ?? 0) } == Int(unread))
                #expect(lines.allSatisfy { $0["topic"].string == stack.topic && $0["partition"].int != nil })

                // A second start finds nothing more to tell.
                try await aggregator.process.terminate()
                let next = try await stack.start(.aggregator)
                try await stack.closeDays()
                #expect(next.process.logged("offsets_lost").isEmpty)
            }
        }

        @Test func withNothingLeftThePositionMovesToTheLogsStart() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                _ = try await send(10, seed: 4, app, stack)
                try await stack.closeDays()
                try await stack.running(.aggregator).process.terminate()
                _ = try await send(10, seed: 5, app, stack)
                let unread = try await expireAll(stack)

                let aggregator = try await stack.start(.aggregator)
                try await wait(until: "the loss is told") {
                    aggregator.process.logged("offsets_lost").reduce(0) { $0 + ($1["count"].int ?? 0) }
                        == Int(unread)
                }
                #expect(try await stack.fgctl("lag").requireSuccess()["lost_messages"].int == 0)
            }
        }

        @Test func whatExpiresUnderARunningAggregatorIsToldWithTheNextMessage() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                let before = try await send(20, seed: 10, app, stack)
                try await stack.closeDays()
                let aggregator = try await stack.running(.aggregator)
                aggregator.process.send(SIGSTOP)
                let expired = try await send(20, seed: 11, app, stack)
                let unread = try await expireAll(stack)
                let after = try await send(20, seed: 12, app, stack)
                aggregator.process.send(SIGCONT)
                try await stack.closeDays()

                // What the client had fetched before it was stopped is stored all the same.
                let stored = Set(
                    try await stack.database.texts(
                        "SELECT insert_id::text FROM events ORDER BY 1 LIMIT 100000"
                    )
                )
                #expect(before.accepted.union(after.accepted).isSubset(of: stored))
                let lost = try await lostCount(stack) ?? -1
                #expect((0...Double(unread)).contains(lost))
                if stored.isDisjoint(with: expired.accepted) { #expect(lost == Double(unread)) }
                #expect(
                    aggregator.process.logged("offsets_lost").reduce(0) { $0 + ($1["count"].int ?? 0) }
                        == Int(lost)
                )
            }
        }

        @Test func topicsMadeAnewAreReadFromTheirBeginning() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                // Far more than what follows: only offsets beyond the new end tell that a topic is another one.
                var ledger = try await send(150, seed: 6, app, stack)
                try await stack.closeDays()
                try await stack.running(.aggregator).process.terminate()
                try await stack.running(.ingest).process.terminate()
                let admin = try KafkaAdmin(settings: ["bootstrap.servers": stack.brokers])
                try await admin.deleteTopic(stack.topic)
                try await stack.createTopics()
                _ = try await stack.start(.ingest)
                ledger.add(try await send(3, seed: 7, app, stack))
                try await requireEndsBelowStored(stack)

                let aggregator = try await stack.start(.aggregator)
                try await wait(until: "the new events are stored") {
                    try await stack.database.count("SELECT count(*) FROM events") == ledger.accepted.count
                }
                try await ledger.check(against: stack)
                #expect(!aggregator.process.logged("offset_moved_back").isEmpty)
                #expect(try await lostCount(stack) == 0)
            }
        }

        @Test func lagAndMarginAreMetricsAndACommand() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                _ = try await send(5, seed: 8, app, stack)
                try await stack.closeDays()
                try await stack.running(.aggregator).process.terminate()
                _ = try await send(10, seed: 9, app, stack)
                let json = try await stack.fgctl("lag").requireSuccess()
                let unread = json["lag_messages"].int ?? 0
                #expect(unread > 0)
                let lagging = json["partitions"].list.filter { $0["lag_messages"].int ?? 0 > 0 }
                // The topics are made with their retention, so the broker knows it.
                let day = 86_400.0
                for partition in lagging {
                    #expect((0..<600).contains(partition["lag_seconds"].double ?? -1))
                    let margin = partition["retention_margin_seconds"].double ?? -1
                    let days = partition["topic"].string == stack.topic ? 30.0 : 7.0
                    #expect((days * day - 600...days * day).contains(margin))
                }
                #expect(json["partitions"].list.count == 2 * Stack.partitions)

                // A lock that the test holds keeps the aggregator from storing, so that it has a lag to show.
                let blocker = try await stack.database.connect()
                try await blocker.script("BEGIN; LOCK TABLE consumer_offsets IN SHARE MODE")
                let aggregator = try await stack.start(.aggregator, ["AGGREGATOR_LAG_INTERVAL_MS": "200"])
                try await wait(until: "the metrics show the lag") {
                    try await aggregator.sum(of: "foreground_aggregator_lag_messages") == Double(unread)
                }
                let margin = try await aggregator.least(of: "foreground_aggregator_retention_margin_seconds")
                #expect(margin < 30 * day && margin > 7 * day - 600)
                #expect(try await aggregator.sum(of: "foreground_aggregator_lag_seconds") ?? 0 > 0)
                try await blocker.script("ROLLBACK")
                await blocker.close()
                try await wait(until: "the lag is gone") {
                    let lag = try await aggregator.sum(of: "foreground_aggregator_lag_messages")
                    let margin = try await aggregator.least(
                        of: "foreground_aggregator_retention_margin_seconds"
                    )
                    return lag == 0 && margin == .infinity
                }
            }
        }
    }
}

extension RunningService {
    private func values(of name: String) async throws -> [Double] {
        try await ops("/metrics").text.split(separator: "\n")
            .filter { $0.hasPrefix(name + "{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }

    /// Over all its labels.
    func sum(of name: String) async throws -> Double? {
        let values = try await values(of: name)
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    func least(of name: String) async throws -> Double { try await values(of: name).min() ?? .nan }
}
