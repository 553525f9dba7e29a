import AggregatorCore
import Calendar
import Contracts
import Foundation
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

/// A random world on its way into the tables, and readers that look at it.
struct OracleWorld {
    let url: String
    let connection: PostgresConnection
    /// With the rights of the reader.
    let pool: PostgresPool
    let app: TestApp
    let zone: String
    let world: RandomWorld

    /// Answers a report from a copy of its own, as one that lives in a service does.
    struct Reader {
        let cache: WorldCache
        let pool: PostgresPool
        let app: Int32

        func answer<Report: AudienceAPI>(_ type: Report.Type, _ query: String) async throws -> [UInt8] {
            let report = try report(type, query)
            let key = WorldKey(app: app, environment: report.parameters.environment)
            return report.answer(try await cache.snapshot(key, report.request, pool))
        }

        func figures<Report: AudienceAPI, Answer: Decodable>(
            _ type: Report.Type,
            _ query: String,
            as: Answer.Type = Answer.self
        ) async throws -> Answer {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Answer.self, from: Data(try await answer(type, query)))
        }
    }

    func reader(bytesMax: Int = 1 << 30, limits: WorldLimits = WorldLimits()) -> Reader {
        Reader(
            cache: WorldCache(bytesMax: bytesMax, limits: limits),
            pool: pool,
            app: app.number
        )
    }

    /// Stores messages as an aggregator would that has just started.
    func store(_ messages: [EventMessage]) async throws {
        let store = try await EventStore(connection: connection, topic: "events")
        for start in stride(from: 0, to: messages.count, by: 40) {
            let batch = messages[start..<min(start + 40, messages.count)]
            _ = try await store.store(
                batch.map { DecodedMessage(partition: 0, offset: 0, content: .events($0)) },
                progress: []
            )
        }
    }

    func close() async throws {
        _ = try await ClosingRun(closer: DayCloser(connection: connection)).run()
    }

    /// The messages in equal parts.
    func parts(_ count: Int) -> [[EventMessage]] {
        let size = world.messages.count / count + 1
        return stride(from: 0, to: world.messages.count, by: size).map {
            Array(world.messages[$0..<min($0 + size, world.messages.count)])
        }
    }

    /// Deletes installs as an erasure does: their events and rows, and what was known only through them; their days wait for a closing.
    func erase(installsWhere condition: String) async throws {
        try await connection.script(
            """
            BEGIN;
            CREATE TEMP TABLE gone ON COMMIT DROP AS
                SELECT app_no, environment, install_no FROM installs WHERE app_no = \(app.number) AND \(condition);
            INSERT INTO dirty_days (app_no, environment, day, cause)
                SELECT DISTINCT e.app_no, e.environment, (e.event_time AT TIME ZONE '\(zone)')::date + n, 'erasure'
                FROM events e JOIN gone USING (app_no, environment, install_no), generate_series(0, 2) n;
            DELETE FROM events e USING gone g
                WHERE (e.app_no, e.environment, e.install_no) = (g.app_no, g.environment, g.install_no);
            DELETE FROM installs i USING gone g
                WHERE (i.app_no, i.environment, i.install_no) = (g.app_no, g.environment, g.install_no);
            DELETE FROM users u WHERE app_no = \(app.number) AND NOT EXISTS (SELECT FROM events e
                WHERE (e.app_no, e.environment, e.user_no) = (u.app_no, u.environment, u.user_no));
            UPDATE users u SET first_at = f.event_time, first_insert_id = f.insert_id, first_context_no = f.context_no
                FROM (SELECT DISTINCT ON (app_no, environment, user_no) * FROM events WHERE user_no IS NOT NULL
                      ORDER BY app_no, environment, user_no, event_time, insert_id) f
                WHERE (f.app_no, f.environment, f.user_no) = (u.app_no, u.environment, u.user_no);
            COMMIT;
            """
        )
    }
}

/// Runs a test on a random world of its own that is not in the tables yet.
func withOracleWorld(
    seed: UInt64,
    days: Int,
    sessions: Int,
    at start: (zone: String, date: String)? = nil,
    _ body: (OracleWorld) async throws -> Void
) async throws {
    let (zone, date) = start ?? RandomWorld.zones[Int(seed) % RandomWorld.zones.count]
    try await withDatabase { url, connection in
        let app = try await TestApp.make(connection, timezone: zone)
        let pool = PostgresPool(
            url: TestSupport.url(url, actingAs: "foreground_reader"),
            applicationName: "oracle",
            connectionsMax: 4,
            // Busy machines must not turn a wait into a refusal.
            waitMsMax: 120_000
        )
        defer { pool.close() }
        let world = RandomWorld(
            seed: seed,
            app: app.id,
            zone: try LocalZone(named: zone),
            firstDay: try day(date),
            days: days,
            sessions: sessions
        )
        try await body(
            OracleWorld(url: url, connection: connection, pool: pool, app: app, zone: zone, world: world)
        )
    }
}
