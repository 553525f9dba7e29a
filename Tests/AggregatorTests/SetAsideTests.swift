import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// What cannot be used is kept beside and holds nobody up.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct SetAsideTests {
    static let batchReasons: [SetAsideReason] = [.empty, .notJSON, .unknownVersion, .unknownApp]

    private static func batch(_ app: TestApp) -> [DecodedMessage] {
        let contents: [DecodedMessage.Content] = [
            .unusable(reason: .empty, payload: []),
            .events(.valid(app: app.id)),
            .unusable(reason: .notJSON, payload: Array("{\0".utf8)),
            .unusable(reason: .unknownVersion, payload: [UInt8](repeating: 0x41, count: 900_000)),
            .events(.valid(app: .random())),
            .events(.valid(app: app.id)),
        ]
        return contents.enumerated().map {
            DecodedMessage(partition: 0, offset: Int64($0.offset), content: $0.element)
        }
    }

    private static let progress = [PartitionProgress(partition: 0, expected: 0, next: 6)]

    @Test func theRestOfTheBatchIsStored() async throws {
        try await withStore { bench in
            let outcome = try await bench.store.store(Self.batch(bench.app), progress: Self.progress)
            #expect(outcome.new == 2)
            #expect(outcome.setAside == Self.batchReasons)
            let offsets = try await bench.store.offsets()
            #expect(offsets == [0: 6])
        }
    }

    @Test func eachIsKeptWithItsPlaceAndReason() async throws {
        try await withStore { bench in
            _ = try await bench.store.store(Self.batch(bench.app), progress: Self.progress)
            let kept = try await bench.connection.texts(
                """
                SELECT ROW(topic, partition, message_offset, reason, length(payload))::text
                FROM set_aside_messages ORDER BY message_offset LIMIT 100
                """
            )
            #expect(
                kept == [
                    "(events,0,0,empty,0)", "(events,0,2,not_json,2)", "(events,0,3,unknown_version,900000)",
                    "(events,0,4,unknown_app,0)",
                ]
            )
        }
    }

    @Test func aReplaySetsTheSameMessagesAsideOnce() async throws {
        try await withStore { bench in
            let batch = Self.batch(bench.app)
            _ = try await bench.store.store(batch, progress: [])
            let outcome = try await bench.store.store(batch, progress: [])
            #expect(outcome.new == 0)
            #expect(outcome.setAside == Self.batchReasons)
            let kept = try await bench.connection.number("SELECT count(*) FROM set_aside_messages LIMIT 1")
            #expect(kept == Self.batchReasons.count)
        }
    }

    @Test func anAppMadeAfterTheStoreStartedIsKnown() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id))
            let later = try await TestApp.make(bench.connection)
            let outcome = try await bench.store.add(.valid(app: later.id))
            #expect(outcome.new == 1)
            #expect(outcome.setAside.isEmpty)
        }
    }

    @Test func anAppThatWasDeletedIsUnknown() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id))
            try await bench.connection.script("DELETE FROM apps")
            let outcome = try await bench.store.add(.valid(app: bench.app.id))
            #expect(outcome.setAside == [.unknownApp])
        }
    }
}
