import Postgres
import Schema
import TestSupport
import Testing

/// Partitions made on demand.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct PartitionTests {
    @Test(
        arguments: [
            ("2026-01-01 00:00:00+00", "events_2026_01"),
            ("2026-01-31 23:59:59.999+00", "events_2026_01"),
            ("2026-12-31 23:59:59.999999+00", "events_2026_12"),
            // The month is that of UTC, whatever the zone of the session or of the literal.
            ("2027-01-01 01:00:00+02", "events_2026_12"),
            ("2028-02-29 12:00:00+00", "events_2028_02"),
        ]
    )
    func theMonthOfAMoment(moment: String, name: String) async throws {
        try await withDatabase { _, connection in
            try await connection.script("SET timezone = 'Pacific/Auckland'")
            let isMade = try await connection.first(
                "SELECT ensure_events_partition(\(moment)::timestamptz) LIMIT 1"
            ) {
                try $0.bool(0)
            }
            #expect(isMade == true)
            let names = try await connection.texts(Self.partitions)
            #expect(names == [name])
        }
    }

    @Test func theSecondCallFindsItThere() async throws {
        try await withDatabase { _, connection in
            let call: SQL = "SELECT ensure_events_partition('2026-05-05 00:00:00+00') LIMIT 1"
            let answers = [
                try await connection.first(call) { try $0.bool(0) },
                try await connection.first(call) { try $0.bool(0) },
            ]
            #expect(answers == [true, false])
        }
    }

    @Test func twoCallersAtOnceMakeItOnce() async throws {
        try await withDatabase { url, connection in
            try await withConnection(to: url) { other in
                // The first caller has made it and not yet committed, so the second must wait and then find it.
                try await connection.script("BEGIN; SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
                let waiting = try await other.processID()
                async let second = other.first(
                    "SELECT ensure_events_partition('2026-05-06 00:00:00+00') LIMIT 1"
                ) { try $0.bool(0) }
                try await connection.waitUntilBlocked(waiting)
                try await connection.script("COMMIT")
                let isMade = try await second
                #expect(isMade == false)
                let names = try await connection.texts(Self.partitions)
                #expect(names == ["events_2026_05"])
            }
        }
    }

    @Test func monthsMeetWithoutAGap() async throws {
        try await withDatabase { _, connection in
            try await connection.script(
                """
                SELECT ensure_events_partition(month)
                FROM generate_series('2026-11-01 00:00+00'::timestamptz, '2027-03-01 00:00+00', '1 month') month
                """
            )
            let bounds = try await connection.rows(
                """
                SELECT pg_get_expr(relpartbound, oid) FROM pg_class
                WHERE relispartition AND relkind = 'r' ORDER BY relname LIMIT 100
                """
            ) { try $0.string(0).split(separator: "'").filter { $0.hasPrefix("20") }.map(String.init) }
            #expect(bounds.count == 5)
            for (earlier, later) in zip(bounds, bounds.dropFirst()) { #expect(earlier.last == later.first) }
        }
    }

    @Test func anInsertIDIsUniqueWithinItsMonth() async throws {
        try await withDatabase { _, connection in
            try await connection.script("SELECT ensure_events_partition('2026-05-05 00:00:00+00')")
            let insert = """
                INSERT INTO events VALUES (1, 0, 1, '2026-05-05 00:00+00', now(), now(),
                    '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', 1, NULL, NULL, 1)
                """
            try await connection.script(insert)
            let state = try await sqlState(of: { try await connection.script(insert) })
            #expect(state == "23505")
        }
    }

    private static let partitions: SQL = """
        SELECT relname::text FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1 LIMIT 100
        """
}
