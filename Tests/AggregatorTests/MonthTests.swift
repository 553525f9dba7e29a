import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// There is a partition for every event that can come.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct MonthTests {
    private static let partitions: SQL = """
        SELECT tableoid::regclass::text || ' ' || count(*) FROM events GROUP BY tableoid ORDER BY 1 LIMIT 100
        """

    @Test func anEventExactlySevenDaysOldOnAnEmptyDatabase() async throws {
        try await withStore { bench in
            let received = utcMs("2026-03-05", hours: 10)
            let old = EventMessage.Event.start(at: received - EventLimits.ageMsMax)
            try await bench.store.add(.valid(app: bench.app.id, [old]) { $0.receivedAtMs = received })
            let found = try await bench.connection.texts(Self.partitions)
            #expect(found == ["events_2026_02 1"])
        }
    }

    @Test func theLastMillisecondOfAMonthAndTheFirstOfTheNext() async throws {
        try await withStore { bench in
            let border = utcMs("2026-06-01")
            let events = [EventMessage.Event.start(at: border - 1), .start(at: border)]
            try await bench.store.add(.valid(app: bench.app.id, events))
            let found = try await bench.connection.texts(Self.partitions)
            #expect(found == ["events_2026_05 1", "events_2026_06 1"])
        }
    }

    @Test func theFirstEventOfAYear() async throws {
        try await withStore { bench in
            let border = utcMs("2027-01-01")
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: border - 1)]))
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: border)]))
            let found = try await bench.connection.texts(Self.partitions)
            #expect(found == ["events_2026_12 1", "events_2027_01 1"])
        }
    }

    /// As far ahead of its receipt as may be, and so in a month that has not begun.
    @Test func anEventOfTheMonthToCome() async throws {
        try await withStore { bench in
            let received = utcMs("2026-06-30", hours: 24) - 1
            let ahead = EventMessage.Event.start(at: received + EventLimits.aheadMsMax)
            let message = EventMessage.valid(app: bench.app.id, [ahead]) { $0.receivedAtMs = received }
            try await bench.store.add(message)
            let again = try await bench.store.add(message)
            #expect(again.new == 0)
            let found = try await bench.connection.texts(Self.partitions)
            #expect(found == ["events_2026_07 1"])
        }
    }

    @Test func theFirstEventAfterMonthsOfSilence() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: utcMs("2026-01-15"))]))
            let outcome = try await bench.store.add(
                .valid(app: bench.app.id, [.start(at: utcMs("2026-05-15"))])
            )
            #expect(outcome.new == 1)
        }
    }

    @Test func theLocalDayAcrossAMonthIsMarkedAsTheZoneHasIt() async throws {
        try await withStore(timezone: "Pacific/Auckland") { bench in
            // 31 March 23:59:59.999 UTC is already 1 April there.
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: utcMs("2026-04-01") - 1)]))
            let facts = try await StoredFacts.of(bench.app, bench.connection)
            #expect(facts.days == ["(0,2026-04-01)"])
        }
    }

    @Test func onePartitionDroppedBehindAStoreIsMadeAgainByTheNextAttempt() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: utcMs("2026-01-15"))]))
            try await bench.connection.script("DROP TABLE events_2026_01")
            let again = EventMessage.valid(app: bench.app.id, [.start(at: utcMs("2026-01-16"))])
            _ = try await sqlState(of: { try await bench.store.add(again) })
            let outcome = try await bench.store.add(again)
            #expect(outcome.new == 1)
        }
    }

    @Test func storesThatMeetANewMonthTogetherBothStore() async throws {
        try await withStore { bench in
            try await withConnection(to: bench.url) { own in
                let other = try await EventStore(connection: own, topic: "events")
                async let first = bench.store.addRetrying([.valid(app: bench.app.id)])
                async let second = other.addRetrying([.valid(app: bench.app.id)])
                let new = try await first.new + second.new
                #expect(new == 2)
            }
        }
    }
}
