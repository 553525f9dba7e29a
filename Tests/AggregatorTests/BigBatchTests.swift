import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import AggregatorCore

/// Batches of any size, and statements that use the indexes however full a month is.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct BigBatchTests {
    /// B61.
    @Test func moreEventsThanAStatementHasParameters() async throws {
        try await withStore { bench in
            let batch = Self.month(bench.app, events: 70_000)
            let outcome = try await bench.store.add(batch)
            #expect(outcome.new == 70_000)
            let again = try await bench.store.add(batch)
            #expect(again.new == 0)
            let count = try await bench.connection.eventCount()
            #expect(count == 70_000)
        }
    }

    @Test(arguments: [1, 5, 500, 5_000])
    func lookingForRepeatsReadsNoMonthAsAWhole(messages: Int) async throws {
        try await withFullMonth { bench, own, store, stored in
            let batch = (0..<messages).flatMap { number in
                [Self.month(bench.app, events: 1)[0], stored[number % stored.count]]
            }
            // More often than a prepared statement is planned for its values.
            for _ in 0..<8 {
                let before = try await Self.scans(own)
                try await store.add(batch)
                let after = try await Self.scans(own)
                #expect(after.whole == before.whole)
                #expect(after.byIndex > before.byIndex)
            }
        }
    }

    @Test func closingADayReadsNoMonthAsAWhole() async throws {
        try await withFullMonth { bench, own, _, _ in
            let closer = DayCloser(connection: own)
            for day in 10..<18 {
                let before = try await Self.scans(own)
                let outcome = try await closer.close(bench.key("2026-10-\(day)"))
                #expect(outcome == .closed(revision: 1))
                let after = try await Self.scans(own)
                #expect(after.whole == before.whole, "day \(day)")
                #expect(after.byIndex > before.byIndex, "day \(day)")
            }
        }
    }

    /// Every month is without statistics on its first day, and a database after a crash for a while.
    @Test(arguments: [true, false])
    func aDayOfAMonthWithoutStatisticsIsJoinedRowByRowOnlyWithoutOurPlanning(isPlanned: Bool) async throws {
        try await withStore { bench in
            let noon = utcMs("2026-10-15", hours: 12)
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: noon)]))
            let statement =
                "EXPLAIN "
                + DayStatements.events(
                    of: bench.key("2026-10-15"),
                    bounds: noon - Span.dayMs / 2..<noon + Span.dayMs / 2
                )
            let plan = try await bench.connection.transaction { connection in
                if isPlanned { _ = try connection.execute(DayStatements.planning) }
                return try connection.texts(statement)
            }
            let isRowByRow = plan.contains { $0.contains("Nested Loop") }
            #expect(isRowByRow == !isPlanned)
        }
    }

    /// Without this the two tests above could not fail.
    @Test func readingAWholeMonthIsSeen() async throws {
        try await withFullMonth { _, own, _, _ in
            let before = try await Self.scans(own)
            _ = try await own.number("SELECT count(*) FROM events WHERE duration_ms = 1 LIMIT 1")
            let after = try await Self.scans(own)
            #expect(after.whole == before.whole + 1)
        }
    }

    /// Scans of the months' tables by one session so far, as Postgres counted them.
    private static func scans(_ connection: PostgresConnection) async throws -> (whole: Int, byIndex: Int) {
        // Counts are handed over at the end of the next transaction, which is this statement's own.
        try await connection.script("SELECT pg_stat_force_next_flush()")
        let row = try await connection.first(
            """
            SELECT sum(seq_scan)::bigint, sum(idx_scan)::bigint FROM pg_stat_user_tables
            WHERE relname LIKE 'events\\_2%' LIMIT 1
            """
        ) { (try $0.int(0), try $0.int(1)) }
        return row ?? (0, 0)
    }

    /// A month of 30,000 events with statistics, a store on a connection that the test can ask.
    private func withFullMonth(
        _ body: (StoreBench, PostgresConnection, EventStore, [EventMessage]) async throws -> Void
    ) async throws {
        try await withStore { bench in
            let stored = Self.month(bench.app, events: 30_000)
            try await bench.store.add(stored)
            try await bench.connection.script("ANALYZE")
            try await withConnection(to: bench.url) { own in
                let store = try await EventStore(connection: own, topic: "events")
                try await body(bench, own, store, stored)
            }
        }
    }

    /// Sessions of ten minutes, spread over October 2026 in order of time.
    private static func month(_ app: TestApp, events: Int) -> [EventMessage] {
        let first = utcMs("2026-10-01")
        return (0..<(events + 1) / 2).map { number in
            let session = UUID128.random()
            let at = first + 30 * Span.dayMs * Int64(number) * 2 / Int64(events)
            let both = [
                EventMessage.Event.start(at: at, session: session), .end(at: at + 600_000, session: session),
            ]
            return .valid(app: app.id, install: .fixed(UInt64(number % 3_000)), Array(both.prefix(events)))
        }
    }
}
