import AggregatorCore
import Calendar
import Contracts
import Postgres
import TestSupport
import Testing

/// Days that another release of tzdata cuts otherwise.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct MovedDaysTests {
    /// A session of 23 October, stored as older rules would have: as one of the 22nd, which they ended an hour later.
    private func withOldDay(_ body: (StoreBench) async throws -> Void) async throws {
        try await withStore(timezone: "America/Havana") { bench in
            let zone = try LocalZone(named: "America/Havana")
            let day = try #require(LocalDay("2026-10-22"))
            let bounds = zone.bounds(of: day)
            try await bench.addSession(at: bounds.upperBound + 600_000)
            try await bench.closeAll()
            try await bench.connection.execute(
                """
                UPDATE closed_days SET day = \(day)::date, tzdata_version = '1999a',
                    first_at = \(PostgresTimestamp(ms: bounds.lowerBound))::timestamptz,
                    end_at = \(PostgresTimestamp(ms: bounds.upperBound + 3_600_000))::timestamptz
                """
            )
            #expect(try await bench.presentDays() == ["2026-10-22 1"])
            try await body(bench)
        }
    }

    @Test func eventsThatMovedIntoADateWithoutABlockAreFound() async throws {
        try await withOldDay { bench in
            #expect(try await MovedDays.mark(bench.connection) == 1)
            try await bench.closeAll()
            #expect(try await bench.presentDays() == ["2026-10-23 1"])
        }
    }

    /// While instances are updated one after the other the older ones must not put days back.
    @Test func olderRulesLeaveTheDaysOfNewerOnesAlone() async throws {
        try await withOldDay { bench in
            _ = try await MovedDays.mark(bench.connection)
            try await bench.closeAll()
            #expect(try await MovedDays.mark(bench.connection, version: "2001c") == 0)
            let older = try await bench.connection.number(
                "SELECT count(*) FROM closed_days WHERE tzdata_version = '2001c'"
            )
            #expect(older == 0)
        }
    }
}
