import Kafka
import Postgres
import Testing

extension PipelineTests {
    /// Goal: what ingest turned away is in the table once, however often it is delivered.
    @Suite struct RejectionsStoredTests {
        private func spoilt(_ seed: UInt64) -> TestBatch {
            var make = EventMaker(seed: seed)
            var events = make.session(at: TestDays().noon(daysAgo: 1))
            events[0].user = "jo@example.com"
            events[1].durationMs = -1
            return TestBatch(events: events, context: ["platform": "ios", "app_version": "3.4"])
        }

        /// Rows of what clients sent; those of the question whether ingest knows a key have no insert id.
        private func rows(_ stack: Stack) async throws -> [String] {
            try await stack.database.texts(
                """
                SELECT ROW(code, field, platform, app_version, insert_id)::text FROM rejections
                WHERE insert_id IS NOT NULL ORDER BY insert_id LIMIT 1000
                """
            )
        }

        @Test func eachIsStoredOnceAndAReplayChangesNothing() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                let batch = spoilt(1)
                #expect(try await stack.post(batch, key: app.anyKey).json["accepted"] == 0)
                try await wait(until: "both are stored") { try await rows(stack).count == 2 }
                let expected = [
                    "(user_id_looks_like_pii,user_id,ios,3.4,\(batch.events[0].insertID))",
                    "(invalid_field,duration_ms,ios,3.4,\(batch.events[1].insertID))",
                ]
                #expect(try await rows(stack).sorted() == expected.sorted())
                let all = try await stack.database.count("SELECT count(*) FROM rejections")

                #expect(try await stack.running(.aggregator).process.terminate() == 0)
                try await stack.database.use { connection in
                    _ = try await connection.execute(
                        "UPDATE consumer_offsets SET next_offset = 0 WHERE topic = \(stack.rejectionsTopic)"
                    )
                }
                _ = try await stack.start(.aggregator)
                let marker = spoilt(2)
                _ = try await stack.post(marker, key: app.anyKey)
                try await wait(until: "the marker is stored") { try await rows(stack).count == 4 }
                #expect(try await stack.database.count("SELECT count(*) FROM rejections") == all + 2)
                #expect(try await stack.database.count("SELECT count(*) FROM events") == 0)
            }
        }

        @Test func poisonIsSetAsideAndHoldsNobodyUp() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let app = try await stack.createApp()
                try await TopicTool.withProducer(of: stack) { producer in
                    for partition in 0..<Int32(Stack.partitions) {
                        for payload in [
                            Array("{".utf8), [], Array(#"{"v":99}"#.utf8), Array(#"{"v":1}"#.utf8),
                        ] {
                            try await producer.publish(
                                payload,
                                key: [1],
                                to: KafkaDestination(topic: stack.rejectionsTopic, partition: partition)
                            )
                        }
                    }
                }
                _ = try await stack.post(spoilt(3), key: app.anyKey)
                try await wait(until: "both are stored") { try await rows(stack).count == 2 }
                try await wait(until: "all poison is set aside") {
                    try await stack.database.count("SELECT count(*) FROM set_aside_messages")
                        == 4 * Stack.partitions
                }
                let reasons = try await stack.database.texts(
                    """
                    SELECT DISTINCT reason FROM set_aside_messages WHERE topic = \(stack.rejectionsTopic)
                    ORDER BY 1 LIMIT 100
                    """
                )
                #expect(reasons == ["empty", "invalid_value", "not_json", "unknown_version"])
            }
        }
    }
}
