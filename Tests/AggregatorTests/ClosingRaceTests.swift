import AggregatorCore
import Calendar
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

/// A closing that runs beside others and beside stores.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct ClosingRaceTests {
    private static let morning = utcMs("2026-10-14", hours: 9)
    private static let day = "2026-10-14"

    @Test func marksThatComeWhileADayClosesSurvive() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            let outcome = try await Self.closeHalfway(bench) {
                // The closing has read its events; this one comes too late for it.
                try await bench.addSession(at: Self.morning + 1)
            }
            #expect(try outcome.get() == .closed(revision: 1))
            let marks = try await bench.marks()
            #expect(marks == ["2026-10-14 events"])
            let early = try await bench.closed(Self.day)
            #expect(early?.sessions == 1)
            try await bench.closeAll()
            let late = try await bench.closed(Self.day)
            #expect(late?.sessions == 2)
        }
    }

    @Test func aCrashInTheMiddleLeavesTheOldBlockAndTheMarks() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.closeAll()
            let before = try await bench.closed(Self.day)
            try await bench.addSession(at: Self.morning)
            let outcome = try await Self.closeHalfway(bench) {
                try await bench.connection.execute(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'closer' AND datname = current_database()
                    """
                )
            }
            #expect(throws: PostgresError.self) { try outcome.get() }
            let after = try await bench.closed(Self.day)
            #expect(after == before)
            let marks = try await bench.marks()
            #expect(marks == ["2026-10-14 events"])
            // The lock of the one that died is gone as well.
            let summary = try await bench.closeAll()
            #expect(summary.closed == 1)
            let recovered = try await bench.closed(Self.day)
            #expect(recovered?.sessions == 2)
        }
    }

    @Test func aDayThatIsBeingClosedIsBusyForOthers() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            let outcome = try await Self.closeHalfway(bench) {
                let other = try await withConnection(to: bench.url) {
                    try await DayCloser(connection: $0).close(bench.key(Self.day))
                }
                #expect(other == .busy)
            }
            #expect(try outcome.get() == .closed(revision: 1))
        }
    }

    @Test func twoRunsCloseEachDayOnce() async throws {
        try await withStore { bench in
            for day in 0..<20 { try await bench.addSession(at: Self.morning + Int64(day) * Span.dayMs) }
            async let first = bench.closeAll()
            async let second = bench.closeAll()
            let summaries = try await [first, second]
            #expect(summaries.reduce(0) { $0 + $1.closed } == 20)
            let days = try await ClosedDay.all(bench.app.number, bench.connection)
            #expect(days.count == 20)
            #expect(days.values.allSatisfy { $0.revision == 1 && $0.sessions == 1 })
        }
    }

    /// Storing and two closings at full speed, then the truth by plain SQL.
    @Test(arguments: UInt64(1)...4)
    func noMarkIsLostWhileStoresAndTwoRunsWorkTogether(seed: UInt64) async throws {
        try await withStore(timezone: "Europe/Berlin") { bench in
            let world = try StoredWorld(seed: seed, zone: "Europe/Berlin", app: bench.app, sessions: 120)
            async let first = Self.close(bench, times: 25)
            async let second = Self.close(bench, times: 25)
            for batch in world.messages.chunked(10) { try await bench.store.addRetrying(batch) }
            _ = try await (first, second)
            try await bench.closeAll()
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
            try await expectDaysEqualOracle(bench, zone: "Europe/Berlin")
        }
    }

    private static func close(_ bench: StoreBench, times: Int) async throws {
        for _ in 0..<times { try await bench.closeAll() }
    }

    /// Closes the day and runs `meanwhile` when its new block is computed and not yet written.
    private static func closeHalfway(
        _ bench: StoreBench,
        meanwhile: () async throws -> Void
    ) async throws -> Result<CloseOutcome, any Error> {
        let connection = try await PostgresConnection(url: bench.url, applicationName: "closer")
        let closer = DayCloser(connection: connection)
        let process = try await connection.processID()
        let key = bench.key(day)
        return try await withConnection(to: bench.url) { gate in
            try await gate.script("BEGIN; LOCK TABLE closed_days IN EXCLUSIVE MODE")
            async let closing = outcome { try await closer.close(key) }
            try await bench.connection.waitUntilBlocked(process)
            try await meanwhile()
            try await gate.script("COMMIT")
            let result = await closing
            await connection.close()
            return result
        }
    }

    private static func outcome<Value>(_ body: @Sendable () async throws -> Value) async -> Result<
        Value, any Error
    > {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
