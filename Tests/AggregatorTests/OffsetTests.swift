import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// Rows and offsets move together or not at all.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct OffsetTests {
    @Test func aPartitionNeverStoredIsAbsent() async throws {
        try await withStore { bench in
            let offsets = try await bench.store.offsets()
            #expect(offsets.isEmpty)
        }
    }

    @Test func offsetsMoveWithTheRows() async throws {
        try await withStore { bench in
            let first = PartitionProgress(partition: 3, expected: 10, next: 12)
            _ = try await bench.store.store(Self.messages(bench, partition: 3), progress: [first])
            let then = PartitionProgress(partition: 3, expected: 12, next: 20)
            _ = try await bench.store.store(Self.messages(bench, partition: 3), progress: [then])
            let offsets = try await bench.store.offsets()
            #expect(offsets == [3: 20])
        }
    }

    @Test func offsetsOfOtherTopicsAreOthers() async throws {
        try await withStore { bench in
            _ = try await bench.store.store(
                [],
                progress: [PartitionProgress(partition: 0, expected: 0, next: 5)]
            )
            try await withConnection(to: bench.url) { connection in
                let offsets = try await EventStore(connection: connection, topic: "other").offsets()
                #expect(offsets.isEmpty)
            }
        }
    }

    @Test func anErrorLeavesBothAsTheyWere() async throws {
        try await withStore { bench in
            _ = try await bench.store.store(
                [],
                progress: [PartitionProgress(partition: 0, expected: 0, next: 5)]
            )
            // Refused by the last statement but the offsets', after rows of every table were written.
            try await bench.connection.script("ALTER TABLE dirty_days ADD CHECK (day < '2000-01-01')")
            let progress = PartitionProgress(partition: 0, expected: 5, next: 6)
            let batch = Self.messages(bench, partition: 0)
            let state = try await sqlState(of: { try await bench.store.store(batch, progress: [progress]) })
            #expect(state == "23514")
            let facts = try await StoredFacts.of(bench.app, bench.connection)
            #expect(facts == StoredFacts(events: [], installs: [], users: [], userInstalls: [], days: []))
            let offsets = try await bench.store.offsets()
            #expect(offsets == [0: 5])
        }
    }

    @Test func theSameBatchWorksOnTheSameStoreAfterAnError() async throws {
        try await withStore { bench in
            try await bench.connection.script(
                "ALTER TABLE dirty_days ADD CONSTRAINT closed CHECK (day < '2000-01-01')"
            )
            let progress = PartitionProgress(partition: 0, expected: 0, next: 1)
            let batch = Self.messages(bench, partition: 0)
            _ = try await sqlState(of: { try await bench.store.store(batch, progress: [progress]) })
            try await bench.connection.script("ALTER TABLE dirty_days DROP CONSTRAINT closed")
            let outcome = try await bench.store.store(batch, progress: [progress])
            #expect(outcome.new == 1)
            let offsets = try await bench.store.offsets()
            #expect(offsets == [0: 1])
        }
    }

    @Test func aPartitionMovedBySomebodyElseIsFenced() async throws {
        try await withStore { bench in
            let here = PartitionProgress(partition: 1, expected: 0, next: 4)
            _ = try await bench.store.store([], progress: [here])
            try await bench.connection.script("UPDATE consumer_offsets SET next_offset = 9")
            await #expect(throws: Fenced.self) {
                let progress = PartitionProgress(partition: 1, expected: 4, next: 5)
                _ = try await bench.store.store(Self.messages(bench, partition: 1), progress: [progress])
            }
            let count = try await bench.connection.eventCount()
            #expect(count == 0)
            let offsets = try await bench.store.offsets()
            #expect(offsets == [1: 9])
        }
    }

    @Test func oneFencedPartitionHoldsBackTheWholeBatch() async throws {
        try await withStore { bench in
            let batch = Self.messages(bench, partition: 0) + Self.messages(bench, partition: 1)
            try await bench.connection.script("INSERT INTO consumer_offsets VALUES ('events', 1, 7)")
            await #expect(throws: Fenced.self) {
                _ = try await bench.store.store(
                    batch,
                    progress: [
                        PartitionProgress(partition: 0, expected: 0, next: 1),
                        PartitionProgress(partition: 1, expected: 0, next: 1),
                    ]
                )
            }
            let count = try await bench.connection.eventCount()
            #expect(count == 0)
            let offsets = try await bench.store.offsets()
            #expect(offsets == [1: 7])
        }
    }

    /// The old owner of a partition stores its last batch while the new owner stores the same one.
    @Test func ofTwoInstancesWithOneBatchOneIsFenced() async throws {
        try await withStore { bench in
            try await withConnection(to: bench.url) { own in
                let rival = try await EventStore(connection: own, topic: "events")
                let batch = Self.messages(bench, partition: 0)
                let progress = [PartitionProgress(partition: 0, expected: 0, next: 1)]
                async let first = Self.isFenced(bench.store, batch, progress)
                async let second = Self.isFenced(rival, batch, progress)
                let fenced = try await [first, second]
                #expect(fenced.filter { $0 }.count == 1)
                let count = try await bench.connection.eventCount()
                #expect(count == 1)
            }
        }
    }

    private static func isFenced(
        _ store: EventStore,
        _ messages: [DecodedMessage],
        _ progress: [PartitionProgress]
    ) async throws -> Bool {
        do {
            _ = try await store.store(messages, progress: progress)
            return false
        } catch is Fenced {
            return true
        }
    }

    private static func messages(_ bench: StoreBench, partition: Int32) -> [DecodedMessage] {
        [DecodedMessage(partition: partition, offset: 0, content: .events(.valid(app: bench.app.id)))]
    }
}
