import Calendar
import Contracts
import Postgres
import TestSupport
import Testing

@testable import ReaderCore

/// What a copy in memory keeps, and what requests at the same moment do to it.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct WorldTests {
    private func withFilledWorld(_ body: (OracleWorld) async throws -> Void) async throws {
        try await withOracleWorld(seed: 5, days: 8, sessions: 60) { world in
            try await world.store(world.world.messages)
            try await world.close()
            try await waitUntilChangesAreSettled(world.connection)
            try await body(world)
        }
    }

    private func request(_ world: OracleWorld, days: ClosedRange<Int> = -3...11) -> SnapshotRequest {
        let start = world.world.firstDay
        return SnapshotRequest(spans: [
            DaySpan(first: start.advanced(by: days.lowerBound), last: start.advanced(by: days.upperBound))
        ])
    }

    private func key(_ world: OracleWorld) -> WorldKey {
        WorldKey(app: world.app.number, environment: .production)
    }

    /// Holds back every load until `body` has returned.
    private func whileLoadsWait(
        _ world: OracleWorld,
        _ body: () async throws -> Void
    ) async throws {
        try await world.connection.script("BEGIN; LOCK TABLE closed_days IN ACCESS EXCLUSIVE MODE")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try await world.connection.script("ROLLBACK")
        try outcome.get()
    }

    /// Asks the locks themselves: within a transaction, what sessions do is told as it was at the first look.
    private func waitForABlockedLoad(_ world: OracleWorld) async throws {
        while try await world.connection.number(
            "SELECT count(*) FROM pg_locks WHERE relation = 'closed_days'::regclass AND NOT granted"
        ) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func daysAreForgottenWithinTheBound() async throws {
        try await withFilledWorld { world in
            let everything = WorldCache(bytesMax: 1 << 30)
            _ = try await everything.snapshot(key(world), request(world), world.pool)
            let bytesMax = await everything.totalBytes - 1
            let cache = WorldCache(bytesMax: bytesMax)
            for day in 0..<8 {
                let snapshot = try await cache.snapshot(
                    key(world),
                    request(world, days: day...day),
                    world.pool
                )
                #expect(snapshot.data.days.count == 1)
            }
            let whole = try await cache.snapshot(key(world), request(world), world.pool)
            #expect(whole.data.days.count >= 8, "a request beyond the bound is answered")
            #expect(await cache.totalBytes <= bytesMax)
        }
    }

    /// The world that was used longest ago goes first.
    @Test func worldsMakeRoomForEachOther() async throws {
        try await withFilledWorld { world in
            let cache = WorldCache(bytesMax: 1)
            let other = WorldKey(app: world.app.number, environment: .development)
            for key in [key(world), other, key(world)] {
                _ = try await cache.snapshot(key, request(world), world.pool)
            }
            #expect(await cache.worldCount == 1)
        }
    }

    @Test func daysTrimmedWhileALoadWaitsAreStillInItsAnswer() async throws {
        try await withFilledWorld { world in
            let copy = World(key(world))
            let before = try await copy.snapshot(request(world), world.pool)
            let request = request(world)
            var during: Task<ReportSnapshot, any Error>?
            try await whileLoadsWait(world) {
                during = Task { try await copy.snapshot(request, world.pool) }
                try await waitForABlockedLoad(world)
                await copy.trim(toBytes: 0)
            }
            let after = try #require(try await during?.value)
            #expect(after.data.days.map(\.day) == before.data.days.map(\.day))
            let last = try await copy.snapshot(request, world.pool)
            #expect(last.data.days.map(\.day) == before.data.days.map(\.day))
        }
    }

    /// Who waits for another request's load holds no connection meanwhile.
    @Test func waitingForALoadKeepsNobodyFromTheDatabase() async throws {
        try await withFilledWorld { world in
            let cache = WorldCache(bytesMax: 1 << 30)
            let (key, request) = (key(world), request(world))
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await whileLoadsWait(world) {
                    // Twice as many as the pool has connections.
                    for _ in 0..<8 {
                        group.addTask { _ = try await cache.snapshot(key, request, world.pool) }
                    }
                    try await waitForABlockedLoad(world)
                    let one = try await world.pool.withConnection { connection in
                        try await connection.number("SELECT 1 LIMIT 1")
                    }
                    #expect(one == 1)
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func requestsOfDifferentSpansAtOnceAreEachAnsweredInFull() async throws {
        try await withFilledWorld { world in
            let reader = world.reader()
            let start = world.world.firstDay
            let queries = (0..<16).map { number in
                let first = start.advanced(by: number % 4)
                return OracleQuestion(first: first, last: first.advanced(by: number / 4)).query
            }
            let together = try await withThrowingTaskGroup(of: (Int, SummaryAnswer.Figures).self) { group in
                for (number, query) in queries.enumerated() {
                    group.addTask {
                        let answer = try await reader.figures(
                            SummaryAPI.self,
                            query,
                            as: SummaryAnswer.self
                        )
                        return (number, answer.figures)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (number, query) in queries.enumerated() {
                let alone = try await world.reader().figures(
                    SummaryAPI.self,
                    query,
                    as: SummaryAnswer.self
                )
                #expect(together[number] == alone.figures, "\(query)")
            }
        }
    }

    /// A transaction that began before the latest change and ends after it changes the figures without being the latest.
    @Test func tagMovesWithAChangeThatCommitsLate() async throws {
        try await withFilledWorld { world in
            let copy = World(key(world))
            let change: SQL =
                "UPDATE installs SET last_day = '2026-01-01' WHERE app_no = \(world.app.number)"
            func tag() async throws -> String {
                try await copy.snapshot(request(world), world.pool).stateTag
            }
            try await world.connection.execute("BEGIN")
            try await world.connection.execute(change + " AND environment = 0 AND install_no = 1")
            let other = try await PostgresConnection(url: world.url, applicationName: "other")
            try await other.execute(change + " AND environment = 0 AND install_no = 2")
            let before = try await tag()
            try await world.connection.execute("COMMIT")
            let after = try await tag()
            await other.close()
            #expect(before != after)
            try await waitUntilChangesAreSettled(world.connection)
            let settled = try await tag()
            #expect(before != settled)
            #expect(try await tag() == settled)
        }
    }

    /// A backup or a long import elsewhere must not make every reader read everything again.
    @Test func tagStaysWhileAnotherTransactionIsLeftOpen() async throws {
        try await withFilledWorld { world in
            try await world.connection.script("BEGIN; SELECT pg_current_xact_id()")
            // Older ones, of other tests, would move the snapshot's xmin as they end.
            try await waitUntil(
                world.connection,
                "SELECT pg_current_xact_id()::text = pg_snapshot_xmin(pg_current_snapshot())::text"
            )
            try await withConnection(to: world.url) { other in
                try await other.execute(
                    "UPDATE installs SET last_day = '2026-01-01' WHERE app_no = \(world.app.number)"
                )
                let copy = World(key(world))
                let first = try await copy.snapshot(request(world), world.pool).stateTag
                try await other.script("CREATE TABLE unrelated (); DROP TABLE unrelated")
                let second = try await copy.snapshot(request(world), world.pool).stateTag
                #expect(second == first)
            }
            try await world.connection.script("ROLLBACK")
        }
    }

    @Test func tagStaysWhileNothingChanges() async throws {
        try await withFilledWorld { world in
            let (one, two) = (World(key(world)), World(key(world)))
            let first = try await one.snapshot(request(world), world.pool).stateTag
            #expect(try await one.snapshot(request(world), world.pool).stateTag == first)
            #expect(try await two.snapshot(request(world), world.pool).stateTag == first)
        }
    }
}
