import Kafka
import ServiceKit
import Testing

extension PipelineTests {
    /// Goal: every acknowledged event is stored once and counted once, whatever is delivered again.
    ///
    /// Method: seeded batches, all answers kept; then the topic is replayed and published again, and every table compared.
    @Suite struct ExactlyOnceTests {
        @Test(arguments: [2_026])
        func replayingTheTopicChangesNothing(seed: UInt64) async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                var world = World(seed: seed)
                let app = try await stack.createApp(timezone: "Pacific/Auckland")
                let ledger = try await send(&world, to: app, of: stack)
                try #require(ledger.accepted.count > 100 && !ledger.refused.isEmpty)
                try await stack.closeDays()
                try await ledger.check(against: stack)
                let reports = try await Reports(stack, app)
                let range = world.range
                let shown = try await reports.snapshot(from: range.from, to: range.to)
                let tables = try await stack.tables()
                try #require(shown[0]["sessions"].int ?? 0 > 50)

                for _ in 0..<2 {
                    #expect(try await stack.running(.aggregator).process.terminate() == 0)
                    try await stack.rewindOffsets()
                    _ = try await stack.start(.aggregator)
                    let closed = try await stack.closeDays()
                    #expect(closed["messages_awaited"].int ?? 0 > 0)
                    try await ledger.check(against: stack)
                    #expect(try await reports.snapshot(from: range.from, to: range.to) == shown)
                    #expect(try await stack.tables() == tables)
                }

                try await publishAgain(seed: seed, stack)
                try await stack.closeDays()
                try await ledger.check(against: stack)
                #expect(try await reports.snapshot(from: range.from, to: range.to) == shown)
                #expect(try await stack.tables() == tables)
            }
        }

        /// Sends every batch, and every third a second time, as a client does whose answer was lost.
        private func send(_ world: inout World, to app: TestApp, of stack: Stack) async throws -> Ledger {
            var ledger = Ledger()
            for (number, batch) in world.batches(40).enumerated() {
                for _ in 0..<(number.isMultiple(of: 3) ? 2 : 1) {
                    try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
                }
            }
            return ledger
        }

        /// Publishes every message once more, in another order and to other partitions: the worst a repair could do.
        private func publishAgain(seed: UInt64, _ stack: Stack) async throws {
            var random = SplitMix64(seed: seed)
            let messages = try await TopicTool.messages(of: stack)
            try await TopicTool.withProducer(of: stack) { producer in
                for message in messages.shuffled(using: &random) {
                    let partition = Int32.random(in: 0..<Int32(Stack.partitions), using: &random)
                    try await producer.publish(
                        message.payload,
                        key: message.key,
                        headers: message.headers,
                        to: KafkaDestination(topic: stack.topic, partition: partition)
                    )
                }
            }
        }
    }
}
