import Contracts
import HTTP
import ServiceKit
import TestSupport
import Testing

@testable import IngestCore

/// A 200 comes from the broker's confirmation and from nothing else.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ConfirmationTests {
    private static let mixed = PostText(
        BatchText.of([EventText.start(1), EventText.start(2) { $0["name"] = nil }, EventText.start(1)])
    )

    private func withWorld(_ body: (IngestWorld, MockBroker) async throws -> Void) async throws {
        let broker = try MockBroker()
        try await body(try IngestWorld(brokers: broker.address), broker)
    }

    @Test func aConfirmedBatchIs200() async throws {
        try await withWorld { world, _ in
            let answer = try await world.send(PostText())

            #expect(answer.status == 200)
            #expect(
                answer.body == """
                    {"accepted":1,"rejected":[],"warnings":[],"server_time":"2026-10-14T09:15:02.000Z"}
                    """
            )
        }
    }

    @Test func aResultHasItsHeaders() async throws {
        try await withWorld { world, _ in
            let answer = try await world.send(PostText().with("Origin", "https://shop.example.com"))

            #expect(answer.header("Content-Type") == "application/json")
            #expect(answer.header("X-Request-Id")?.count == 26)
            #expect(answer.header("Access-Control-Allow-Origin") == "*")
        }
    }

    @Test func aBeaconIs200() async throws {
        try await withWorld { world, _ in
            let batch = BatchText.of([EventText.start()]) { $0["app_key"] = quoted(PipelineWorld.key) }
            let beacon = PostText(batch)
                .with("X-App-Key", nil)
                .with("Content-Type", "text/plain;charset=UTF-8")

            let answer = try await world.send(beacon)

            #expect(answer.status == 200)
        }
    }

    @Test func everyMessageOfABatchIsAwaited() async throws {
        try await withWorld { world, _ in
            let events = (1...500).map { number in
                EventText.start(number) { $0["install_id"] = quoted(EventText.installID(number)) }
            }

            let answer = try await world.send(PostText(BatchText.of(events)))

            #expect(answer.body.hasPrefix(#"{"accepted":500,"#))
        }
    }

    @Test func whatBecameOfTheEventsIsCounted() async throws {
        try await withWorld { world, _ in
            _ = try await world.send(Self.mixed)

            let metrics = world.metrics
            #expect(metrics.contains("foreground_ingest_batches_accepted_total 1"))
            #expect(metrics.contains("foreground_ingest_events_accepted_total 2"))
            #expect(metrics.contains(#"foreground_ingest_events_rejected_total{code="missing_field"} 1"#))
            #expect(
                metrics.contains(#"foreground_ingest_warnings_total{code="duplicate_insert_id_in_batch"} 1"#)
            )
        }
    }

    @Test func aRefusingBrokerIs503() async throws {
        try await withWorld { world, broker in
            broker.refuseOnce()

            let answer = try await world.send(PostText())

            #expect(answer.status == 503)
            #expect(try answer.error("code") == "storage_unavailable")
            #expect(answer.header("Retry-After") == "5")
        }
    }

    @Test func whatWasNotConfirmedIsNotCounted() async throws {
        try await withWorld { world, broker in
            broker.refuseOnce()

            _ = try await world.send(Self.mixed)

            let metrics = world.metrics
            #expect(metrics.contains("foreground_ingest_events_accepted_total 0"))
            #expect(
                metrics.contains(#"foreground_ingest_batches_refused_total{code="storage_unavailable"} 1"#)
            )
        }
    }

    @Test func afterARefusalTheNextBatchGoesThrough() async throws {
        try await withWorld { world, broker in
            broker.refuseOnce()
            _ = try await world.send(PostText())

            let answer = try await world.send(PostText())

            #expect(answer.status == 200)
        }
    }

    /// A broker that lost its state breaks the numbering for good: only a new producer helps.
    @Test func aBrokenProducerIsReplaced() async throws {
        try await withWorld { world, broker in
            broker.breakNumberingOnce()
            _ = try await world.send(PostText())
            // The first failure may come before the producer knows that it has failed for good.
            _ = try await world.send(PostText())

            let answer = try await world.send(PostText())

            #expect(answer.status == 200)
            #expect(world.log.lines.contains { $0.contains("producer_replaced") })
        }
    }

    /// The deadline's clock moves on until the answer is there, so nothing depends on how fast this machine is.
    @Test func aBrokerThatIsAwayIs503AtTheDeadline() async throws {
        let world = try IngestWorld(brokers: IngestWorld.nowhere)
        let running = Task { try await world.deadlines.run() }
        let ticking = Task {
            while !Task.isCancelled {
                world.deadlineClock.advance(ms: 1_000)
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        let answer = try await world.send(PostText().with("Origin", "https://shop.example.com"))

        ticking.cancel()
        world.deadlines.stop()
        try await running.value
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "5")
        #expect(answer.header("Access-Control-Expose-Headers") == "Retry-After, X-Request-Id")
    }

    @Test func aKeyNobodyCanDecideIs503() async throws {
        let world = try IngestWorld(brokers: IngestWorld.nowhere, isConfirmed: false)

        let answer = try await world.send(PostText().with("X-App-Key", "pk_x"))

        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "5")
    }

    @Test func aKeyFromTheFileStillWorks() async throws {
        let broker = try MockBroker()
        let world = try IngestWorld(brokers: broker.address, isConfirmed: false)

        #expect(try await world.send(PostText()).status == 200)
    }
}
