import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

@testable import ReaderCore

/// Whatever reads raw events finds them by an index, in a table that is worth one.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct DirectPlanTests {
    private static let nowMs = utcMs("2026-10-14", hours: 12)

    /// Twenty thousand events of two months, of many installs and some people.
    private func withEvents(_ body: (ReaderWorld, TestApp) async throws -> Void) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, install: 1, session(utcMs("2026-09-20"), user: "42"))
            try await world.send(app, install: 2, session(Self.nowMs - 60_000))
            try await world.connection.execute(
                """
                INSERT INTO installs (app_no, environment, install_id, install_no, first_at, last_day)
                SELECT \(app.number), 0, gen_random_uuid(), n + 2, '2026-09-01Z', '2026-10-14' FROM generate_series(1, 1000) n
                """
            )
            try await world.connection.execute(
                """
                INSERT INTO events (app_no, environment, kind, event_time, received_at, client_time, insert_id,
                                    session_id, install_no, context_no)
                SELECT \(app.number), 0, 1, t, t, t, gen_random_uuid(), gen_random_uuid(), n % 1000 + 3, 1
                FROM (SELECT n, '2026-09-02Z'::timestamptz + n * interval '3 minutes' AS t
                      FROM generate_series(1, 20000) n) e
                """
            )
            try await world.connection.script("ANALYZE")
            try await body(world, app)
        }
    }

    private func plan(_ sql: SQL, _ world: ReaderWorld) async throws -> String {
        try await world.connection.texts("EXPLAIN \(sql)").joined(separator: "\n")
    }

    private func expectIndexed(
        _ sql: SQL,
        _ world: ReaderWorld,
        at location: SourceLocation = #_sourceLocation
    )
        async throws
    {
        let plan = try await plan(sql, world)
        #expect(plan.contains("events_2026_"), "\(plan)", sourceLocation: location)
        #expect(!plan.contains("Seq Scan on events"), "\(plan)", sourceLocation: location)
    }

    @Test func realtimeReadsHalfAnHour() async throws {
        try await withEvents { world, app in
            let statements = RealtimeStatements(
                app: app.number,
                environment: .production,
                platforms: nil,
                nowMs: Self.nowMs
            )
            try await expectIndexed(statements.activeNow, world)
            try await expectIndexed(statements.sessions, world)
            #expect(try await !plan(statements.sessions, world).contains("Anti Join"))
            try await expectIndexed(
                LatestEvent.newest(50, of: app.number, .production, untilMs: Self.nowMs),
                world
            )
            let filtered = LatestEvent.newest(
                50,
                of: app.number,
                .production,
                platforms: ["web"],
                lookedAt: 200
            )
            try await expectIndexed(filtered, world)
        }
    }

    @Test func profilesReadTheInstallsOfTheirPerson() async throws {
        try await withEvents { world, app in
            let number = app.number
            let found = try await world.connection.transaction { connection in
                try Person.find(.user("42"), number, .production, connection)
            }
            let person = try #require(found)
            try await expectIndexed(ProfileInstall.statement(person), world)
            let window = BackwardWalk.Window(startMs: utcMs("2026-09-01"), endMs: utcMs("2026-11-01"))
            let feed = SessionFeed(person)
            try await expectIndexed(feed.statement(window, before: nil, limit: 51), world)
            #expect(
                try await !plan(feed.statement(window, before: nil, limit: 51), world).contains("Anti Join")
            )
            let before = SessionPosition(us: Self.nowMs * 1_000, insertID: .zero)
            try await expectIndexed(feed.statement(window, before: before, limit: 51), world)
        }
    }
}
