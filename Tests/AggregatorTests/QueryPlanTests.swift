import AggregatorCore
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

/// Goal: however large the tables are, a batch and a closing read what they need by an index and nothing else.
///
/// Method: tables full of other rows; then what storing and closing do, between two looks at what Postgres counted for that session:
/// no table was read as a whole, and no index was read for many more rows than the batch has.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct QueryPlanTests {
    private static let growing =
        "'installs', 'users', 'user_installs', 'contexts', 'closed_days', 'dirty_days', 'context_counts'"
    private static let noon = EventMessage.Event.defaultMs

    /// Statistics may be missing: tables fill faster than Postgres looks at them.
    @Test(arguments: [true, false])
    func storingReadsByIndexesOnly(hasStatistics: Bool) async throws {
        try await withFullTables(hasStatistics: hasStatistics) { bench, own in
            let store = try await EventStore(connection: own, topic: "events")
            var random = SplitMix64(seed: 1)
            for messages in [1, 20, 500, 2_000, 2_000, 20, 1, 1, 1, 500] {
                let batch = (0..<messages).map { _ in Self.message(bench.app, &random) }
                let before = try await Self.reads(own)
                let outcome = try await store.add(batch + batch.prefix(10))
                let after = try await Self.reads(own)
                #expect(outcome.new == messages * 2)
                #expect(after.whole == before.whole, "\(messages) messages: \(after.tables)")
                // A handful of look-ups an event, and each meets a row or two.
                #expect(
                    after.entries - before.entries < 40 * messages + 1_000,
                    "\(messages) messages: \(after.tables)"
                )
            }
        }
    }

    @Test func closingReadsByIndexesOnly() async throws {
        try await withFullTables(hasStatistics: true) { bench, own in
            let closer = DayCloser(connection: own)
            for day in 11..<19 {
                let before = try await Self.reads(own)
                let waiting = try await closer.waiting(through: .max, limit: 10)
                #expect(waiting.count == 10)
                _ = try await closer.close(bench.key("2026-10-\(day)"))
                let after = try await Self.reads(own)
                #expect(after.whole == before.whole, "day \(day): \(after.tables)")
            }
        }
    }

    @Test func readingATableAsAWholeIsSeen() async throws {
        try await withFullTables(hasStatistics: true) { _, own in
            let before = try await Self.reads(own)
            _ = try await own.number("SELECT count(*) FROM installs WHERE owner_no = 7 LIMIT 1")
            let after = try await Self.reads(own)
            #expect(after.whole == before.whole + 1)
        }
    }

    private struct Reads {
        var whole = 0
        var entries = 0
        var tables = ""
    }

    private static func reads(_ connection: PostgresConnection) async throws -> Reads {
        // Counts are handed over at the end of the next transaction, which is this statement's own.
        try await connection.script("SELECT pg_stat_force_next_flush()")
        let found = try await connection.first(
            SQL(
                unsafe: """
                    SELECT sum(t.seq_scan)::bigint,
                        (SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes
                         WHERE relname LIKE 'events\\_2%' OR relname IN (\(growing))),
                        (SELECT string_agg(indexrelname || ' ' || idx_tup_read, ', ' ORDER BY idx_tup_read DESC)
                         FROM pg_stat_user_indexes WHERE idx_tup_read > 0) || '; as a whole: ' ||
                        string_agg(t.relname || ' ' || t.seq_scan, ', ' ORDER BY t.relname)
                    FROM pg_stat_user_tables t
                    WHERE t.relname LIKE 'events\\_2%' OR t.relname IN (\(growing)) LIMIT 1
                    """
            )
        ) { Reads(whole: try $0.int(0), entries: try $0.int(1), tables: try $0.optionalString(2) ?? "") }
        return found ?? Reads()
    }

    /// 20,000 events of 5,000 installs and 2,500 users, 2,000 contexts, 20,000 marks and 1,000 closed days.
    private func withFullTables(
        hasStatistics: Bool,
        _ body: (StoreBench, PostgresConnection) async throws -> Void
    ) async throws {
        try await withStore { bench in
            // Statistics come from here and from nowhere else.
            for table in ["installs", "users", "user_installs", "contexts", "closed_days", "dirty_days"] {
                try await bench.connection.script("ALTER TABLE \(table) SET (autovacuum_enabled = off)")
            }
            var random = SplitMix64(seed: 2)
            try await bench.store.add((0..<10_000).map { _ in Self.message(bench.app, &random) })
            try await bench.connection.execute(
                """
                INSERT INTO contexts (app_no, fingerprint, platform)
                SELECT \(bench.app.number), gen_random_uuid(), 'ios' FROM generate_series(1, 2000)
                """
            )
            try await bench.connection.execute(
                """
                INSERT INTO dirty_days (app_no, environment, day, cause)
                SELECT \(bench.app.number), 0, date '2026-10-01' + n % 400, 'events' FROM generate_series(1, 20000) n
                """
            )
            try await bench.connection.execute(
                """
                INSERT INTO closed_days
                SELECT \(bench.app.number), 1, date '2020-01-01' + n, 1, 'events', now(), now(), now(), 'UTC', '', 0, 0, 0,
                       '', '{}', '{}' FROM generate_series(1, 1000) n
                """
            )
            if hasStatistics { try await bench.connection.script("VACUUM ANALYZE") }
            try await withConnection(to: bench.url) { own in try await body(bench, own) }
        }
    }

    /// Somebody known or new, on any day of October, with one of many contexts.
    private static func message(_ app: TestApp, _ random: inout SplitMix64) -> EventMessage {
        let install = UInt64.random(in: 1...5_000, using: &random)
        let isNew = Int.random(in: 0..<10, using: &random) == 0
        let at = noon + Int64.random(in: -13 * Span.dayMs...16 * Span.dayMs, using: &random)
        let user = install % 2 == 0 ? "user \(isNew ? random.next() : install)" : nil
        let session = UUID128.random(using: &random)
        let events = [
            EventMessage.Event.start(at: at, session: session, user: user),
            .end(at: at + 60_000, session: session, user: user),
        ]
        let model = Int.random(in: 0..<300, using: &random)
        return .valid(app: app.id, install: isNew ? .random(using: &random) : .fixed(install), events) {
            $0.contexts = [.valid { $0.deviceModel = "model \(model)" }]
        }
    }
}
