import Contracts
import Postgres
import Schema
import TestSupport
import Testing

@testable import AggregatorCore

/// What a store remembers saves work and never changes what is stored.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct StoreMemoryTests {
    private static let noon = EventMessage.Event.defaultMs

    /// Their rows are locked by somebody else all the while.
    @Test func laterEventsOfKnownPeopleTouchNoRowOfTheirs() async throws {
        try await withStore { bench in
            let message = { (hours: Int64) in
                EventMessage.valid(
                    app: bench.app.id,
                    install: .fixed(1),
                    [.start(at: Self.noon + hours * Span.hourMs, user: "42")]
                )
            }
            try await bench.store.add(message(0))
            try await withConnection(to: bench.url) { gate in
                try await gate.script(
                    """
                    BEGIN; LOCK TABLE installs, users, user_installs, contexts, number_counters IN ACCESS EXCLUSIVE MODE
                    """
                )
                let outcome = try await bench.store.add(message(1))
                #expect(outcome.new == 1)
                try await gate.script("ROLLBACK")
            }
        }
    }

    @Test func numbersOfABatchRolledBackAreNotRemembered() async throws {
        try await withStore { bench in
            try await bench.connection.script(
                "ALTER TABLE dirty_days ADD CONSTRAINT closed CHECK (day < '2000-01-01')"
            )
            let lost = EventMessage.valid(app: bench.app.id, install: .fixed(1), [.start(user: "lost")])
            _ = try await sqlState(of: { try await bench.store.add(lost) })
            try await bench.connection.script("ALTER TABLE dirty_days DROP CONSTRAINT closed")
            let other = EventMessage.valid(app: bench.app.id, install: .fixed(2), [.start(user: "kept")])
            try await bench.store.add(other)
            try await bench.store.add(lost)
            let rows = try await bench.connection.texts(
                """
                SELECT ROW(right(i.install_id::text, 1), i.install_no, u.user_id, u.user_no)::text
                FROM events e JOIN installs i USING (app_no, environment, install_no)
                JOIN users u USING (app_no, environment, user_no) ORDER BY 1 LIMIT 10
                """
            )
            #expect(rows == ["(1,2,lost,2)", "(2,1,kept,1)"])
            let faults = try await bench.connection.numberingFaults()
            #expect(faults.isEmpty)
        }
    }

    /// As an erasure does it: rows go, and the epoch moves.
    @Test func anotherEpochVoidsEverything() async throws {
        try await withStore { bench in
            let message = { EventMessage.valid(app: bench.app.id, install: .fixed(1), [.start(user: "42")]) }
            try await bench.store.add(message())
            try await bench.connection.transaction { connection in
                try StoreBarrier.close(connection)
                for table in ["events", "installs", "users", "user_installs"] {
                    try connection.execute(SQL(unsafe: "DELETE FROM \(table)"))
                }
            }
            try await bench.store.add(message())
            let rows = try await bench.connection.texts(
                """
                SELECT ROW(i.install_no, u.user_no, l.install_no)::text
                FROM installs i, users u, user_installs l ORDER BY 1 LIMIT 10
                """
            )
            #expect(rows == ["(2,2,2)"])
        }
    }

    @Test func aMemoryThatHoldsNothingStoresTheSame() async throws {
        try await withStore { bench in
            let forgetful = try await EventStore(
                connection: try await PostgresConnection(url: bench.url, applicationName: "test-small"),
                topic: "events",
                limits: StoreLimits(cachedPeopleMax: 2)
            )
            let other = try await TestApp.make(bench.connection)
            for round in 0..<4 {
                for install in [1, 2, 3, 1, 2] as [UInt64] {
                    let at = Self.noon + Int64((round * 7 + Int(install) * 3) % 11) * Span.hourMs
                    let event = EventMessage.Event.start(
                        at: at,
                        session: .fixed(install),
                        user: round > 1 ? "user \(install)" : nil
                    )
                    try await forgetful.add(.valid(app: bench.app.id, install: .fixed(install), [event]))
                    try await bench.store.add(.valid(app: other.id, install: .fixed(install), [event]))
                }
            }
            let found = try await StoredFacts.of(bench.app, bench.connection)
            let expected = try await StoredFacts.of(other, bench.connection)
            #expect(found == expected)
        }
    }

    @Test func theCacheIsBoundedAndKeepsWhatIsUsed() {
        var cache = GenerationCache<Int, Int>(capacity: 100)
        for key in 0..<10_000 {
            cache.remember(key, for: key)
            // In use all the time.
            cache.remember(-1, for: -1)
            #expect(cache.count <= 100)
        }
        #expect(cache[-1] == -1)
        #expect(cache[9_999] == 9_999)
        #expect(cache[0] == nil)
    }

    @Test func userKeysAreToldApartByteForByte() {
        let keys = ["ä", "a\u{308}", "a", "A"].map { UserKey(app: 1, environment: 0, userID: $0) }
        #expect(Set(keys).count == 4)
    }
}
