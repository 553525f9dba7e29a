import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// The aggregator does all its work with the rights of its own role.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct AggregatorRoleTests {
    @Test func itsRoleIsEnoughToStoreSetAsideAndClose() async throws {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection)
            try await withConnection(to: url) { own in
                try await own.script("SET ROLE foreground_aggregator")
                let store = try await EventStore(connection: own, topic: "events")
                let session = UUID128.random()
                let start = EventMessage.Event.start(session: session, user: "42")
                let end = EventMessage.Event.end(session: session, user: "42")
                // Each is late for the one before, so first facts and a closed day are written over as well.
                for at in [0, -Span.hourMs, -2 * Span.hourMs] {
                    var moved = [start, end]
                    for index in moved.indices {
                        moved[index].insertID = .random()
                        moved[index].eventTimeMs += at
                    }
                    let message = EventMessage.valid(app: app.id, install: .fixed(1), moved)
                    try await store.add(message, .valid(app: .random()))
                    let summary = try await ClosingRun(closer: DayCloser(connection: own)).run()
                    #expect(summary.closed == 1)
                }
                let progress = [PartitionProgress(partition: 0, expected: 0, next: 1)]
                _ = try await store.store([], progress: progress)
                let offsets = try await store.offsets()
                #expect(offsets == [0: 1])
            }
        }
    }
}
