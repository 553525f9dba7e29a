import Contracts
import Postgres
import Schema
import ServiceKit
import Synchronization
import TestSupport
import Testing

@testable import ReaderCore

/// Readers that live share each key's requests a second.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .timeLimit(.minutes(2)))
struct SharedLimitTests {
    /// A reader's heartbeat and limiter, as `readerComponents` wires them.
    private struct Reader {
        let limiter: RequestLimiter
        let heartbeat: InstanceHeartbeat
        let live: Live

        init(url: String) {
            let limiter = RequestLimiter(instances: 1, clock: ManualMonotonicClock())
            let live = Live()
            self.limiter = limiter
            self.live = live
            heartbeat = InstanceHeartbeat(
                .reader,
                databaseURL: Secret(url),
                service: Service(name: "reader", logger: LogCapture().logger())
            ) {
                limiter.setInstances($0)
                live.count.store($0, ordering: .relaxed)
            }
        }

        /// How many of forty requests of a new key pass at once.
        func burst(_ key: UInt8) -> Int {
            (0..<40).count { _ in
                refusal { () throws(ReadRefusal) in
                    if try !limiter.charge([key]) { try limiter.admit([key]) }
                } == nil
            }
        }
    }

    private final class Live: Sendable {
        let count = Atomic(0)
    }

    private func wait(until count: Int, _ reader: Reader) async throws {
        for _ in 0..<3_000 {
            if reader.live.count.load(ordering: .relaxed) == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(count) readers were never counted")
    }

    @Test func secondReaderHalvesTheShareAndGivesItBackWhenItStops() async throws {
        try await withDatabase { url, connection in
            let url = TestSupport.url(url, actingAs: "foreground_reader")
            let (first, second) = (Reader(url: url), Reader(url: url))
            try await withThrowingTaskGroup { group in
                group.addTask { try await first.heartbeat.run() }
                try await wait(until: 1, first)
                #expect(first.burst(1) == 30)
                let running = Task { try await second.heartbeat.run() }
                try await wait(until: 2, second)
                try await wait(until: 2, first)
                #expect(first.burst(2) == 15)
                #expect(second.burst(2) == 15)
                second.heartbeat.stop()
                try await running.value
                try await wait(until: 1, first)
                #expect(first.burst(3) == 30)
                first.heartbeat.stop()
                try await group.waitForAll()
            }
            #expect(try await connection.number("SELECT count(*) FROM reader_instances") == 0)
        }
    }

    /// One that was killed says no farewell; its share is given out once its last beat is old.
    @Test func readerThatWasKilledIsForgotten() async throws {
        try await withDatabase { url, connection in
            try await connection.execute(
                """
                INSERT INTO reader_instances VALUES
                    (gen_random_uuid(), now()), (gen_random_uuid(), now() - interval '11 seconds'),
                    (gen_random_uuid(), now() - interval '2 hours')
                """
            )
            let reader = Reader(url: TestSupport.url(url, actingAs: "foreground_reader"))
            let running = Task { try await reader.heartbeat.run() }
            try await wait(until: 2, reader)
            #expect(reader.burst(1) == 15)
            try await connection.execute(
                "UPDATE reader_instances SET seen_at = seen_at - interval '1 minute'"
            )
            try await wait(until: 1, reader)
            #expect(reader.burst(2) == 30)
            reader.heartbeat.stop()
            try await running.value
            #expect(try await connection.number("SELECT count(*) FROM reader_instances") == 2)
        }
    }

    /// What a bucket holds beyond a smaller share is gone; a larger share fills with time.
    @Test func changeOfTheShareHoldsForBusyKeysToo() {
        let clock = ManualMonotonicClock()
        let limiter = RequestLimiter(instances: 1, clock: clock)
        func passing(_ count: Int) -> Int {
            (0..<count).count { _ in
                refusal { () throws(ReadRefusal) in
                    if try !limiter.charge([1]) { try limiter.admit([1]) }
                } == nil
            }
        }
        #expect(passing(5) == 5)
        limiter.setInstances(5)
        clock.advance(ms: 1)
        #expect(passing(40) == 6)
        clock.advance(ms: 1_000)
        #expect(passing(40) == 2)
        limiter.setInstances(1)
        clock.advance(ms: 1_000)
        #expect(passing(40) == 10)
    }
}
