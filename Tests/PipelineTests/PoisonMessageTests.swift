import Contracts
import Kafka
import Postgres
import ServiceKit
import Testing
import Wire

extension PipelineTests {
    /// Goal: a message that nobody can use holds up nothing, and is kept with its reason.
    @Suite struct PoisonMessageTests {
        private struct Poison {
            let payload: [UInt8]?
            let reason: String
        }

        private static let unknownApp = UUID128(high: 1, low: 2)

        private func poison() -> [Poison] {
            var strange = EventMessageCodec.encode(good(app: Self.unknownApp, install: 1))
            strange = Array(
                String(decoding: strange, as: UTF8.self).replacing("{\"v\":1,", with: "{\"v\":2147483647,")
                    .utf8
            )
            return [
                Poison(payload: Array("{".utf8), reason: "not_json"),
                Poison(payload: [], reason: "empty"),
                Poison(payload: nil, reason: "empty"),
                Poison(payload: Array(#"{"hello":"world"}"#.utf8), reason: "not_an_event_message"),
                Poison(payload: [UInt8](repeating: UInt8(ascii: "A"), count: 900_000), reason: "not_json"),
                Poison(payload: strange, reason: "unknown_version"),
                Poison(
                    payload: EventMessageCodec.encode(good(app: Self.unknownApp, install: 2)),
                    reason: "unknown_app"
                ),
            ]
        }

        private func good(app: UUID128, install: UInt64) -> EventMessage {
            let noon = TestDays().noon(daysAgo: 1)
            return EventMessage(
                appID: app,
                keyID: UUID128(high: 3, low: 3),
                installID: UUID128(high: 4, low: install),
                receivedAtMs: noon + 1_000,
                contexts: [EventContext(environment: .production, platform: .ios)],
                events: [
                    EventMessage.Event(
                        insertID: UUID128(high: 5, low: install),
                        name: .sessionStart,
                        eventTimeMs: noon,
                        clientTimeMs: noon,
                        sessionID: UUID128(high: 6, low: install)
                    )
                ]
            )
        }

        @Test func goodEventsAreCountedAndBadOnesSetAside() async throws {
            try await Stack.run([.aggregator, .reader]) { stack in
                let app = try await stack.createApp()
                let id = try #require(UUID128(app.id))
                let poison = poison()
                try await TopicTool.withProducer(of: stack) { producer in
                    for partition in 0..<Int32(Stack.partitions) {
                        let place = KafkaDestination(topic: stack.topic, partition: partition)
                        for bad in poison { try await producer.publish(bad.payload, key: [1], to: place) }
                        let message = good(app: id, install: UInt64(partition) + 10)
                        try await producer.publish(EventMessageCodec.encode(message), key: [2], to: place)
                    }
                }

                try await stack.closeDays()

                let yesterday = TestDays().date(daysAgo: 1)
                let reports = try await Reports(stack, app)
                let summary = try await reports.summary(from: yesterday, to: yesterday)
                #expect(summary["sessions"].int == Stack.partitions)
                let reasons = try await stack.database.texts(
                    "SELECT reason FROM set_aside_messages ORDER BY partition, message_offset LIMIT 1000"
                )
                #expect(reasons == (0..<Stack.partitions).flatMap { _ in poison.map(\.reason) })
                try await expectCounted(poison, stack)
            }
        }

        private func expectCounted(_ poison: [Poison], _ stack: Stack) async throws {
            let metrics = try await stack.running(.aggregator).ops("/metrics").text
            for (reason, group) in Dictionary(grouping: poison, by: \.reason) {
                let count = group.count * Stack.partitions
                #expect(
                    metrics.contains("foreground_aggregator_set_aside_total{reason=\"\(reason)\"} \(count)\n")
                )
            }
        }
    }
}
