import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

@testable import ReaderCore

/// Profiles of everybody in random worlds equal plain SQL over raw events, written apart.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ProfileOracleTests {
    private struct Expected: Sendable {
        var key: String
        var firstSeen: String
        var lastSeen: String
        var installs: Int
    }

    private struct Session: Sendable, Equatable {
        var id: String
        var startedMs: Int64
        var durationMs: Int?
    }

    @Test(arguments: Array(UInt64(1)...4))
    func readerAgreesWithRawEvents(seed: UInt64) async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let random = RandomWorld(
                seed: seed,
                app: app.id,
                zone: .utc,
                firstDay: try day("2026-10-27"),
                sessions: 30
            )
            for message in random.messages { try await world.store([message]) }
            let people = try await people(world)
            #expect(people.count > 5)
            for person in people {
                let key = encodedSegment(person.key)
                let profile = try await world.profile(app, key)
                #expect(profile.firstSeen == person.firstSeen, "seed \(seed), \(person.key)")
                #expect(profile.lastSeen == person.lastSeen, "seed \(seed), \(person.key)")
                #expect(profile.installsTotal == person.installs, "seed \(seed), \(person.key)")
                #expect(profile.installs.map(\.lastSeen).max() == person.lastSeen)
                #expect(profile.installs.map(\.firstSeen).min() == person.firstSeen)
                let sessions = try await sessions(world, of: person.key)
                let found = try await world.pages(app, key, limit: 3).flatMap { $0 }
                #expect(found.map(\.sessionId) == sessions.map(\.id), "seed \(seed), \(person.key)")
                #expect(found.map(\.durationMs) == sessions.map(\.durationMs), "seed \(seed), \(person.key)")
            }
        }
    }

    private static let seen: SQL = """
        WITH owner AS (
            SELECT DISTINCT ON (install_no) install_no, user_no AS owner FROM events
            WHERE environment = 0 AND user_no IS NOT NULL ORDER BY install_no, event_time, insert_id),
        seen AS (
            SELECT e.*, coalesce('u:' || u.user_id, 'u:' || o.user_id, 'i:' || i.install_id) AS person
            FROM events e JOIN installs i ON i.install_no = e.install_no AND i.environment = 0
            LEFT JOIN owner ON owner.install_no = e.install_no
            LEFT JOIN users u ON u.user_no = e.user_no AND u.environment = 0
            LEFT JOIN users o ON o.user_no = owner.owner AND o.environment = 0
            WHERE e.environment = 0)
        """

    private func people(_ world: ReaderWorld) async throws -> [Expected] {
        try await world.connection.rows(
            """
            \(Self.seen) SELECT person, min(event_time), max(event_time),
                count(DISTINCT install_no) FROM seen GROUP BY person ORDER BY person LIMIT 1000
            """
        ) {
            Expected(
                key: try $0.string(0),
                firstSeen: RFC3339.format(ms: try $0.timestampMs(1)),
                lastSeen: RFC3339.format(ms: try $0.timestampMs(2)),
                installs: try $0.int(3)
            )
        }
    }

    /// Starts and ends of one id on one install; the window functions know nothing of how the reader looks.
    private func sessions(_ world: ReaderWorld, of person: String) async throws -> [Session] {
        try await world.connection.rows(
            """
            \(Self.seen), starts AS (
                SELECT *, lag(event_time) OVER (PARTITION BY install_no, session_id ORDER BY event_time, insert_id) AS before
                FROM seen WHERE kind = 1),
            openings AS (SELECT * FROM starts WHERE before IS NULL OR event_time - before > interval '25 hours'),
            ends AS (
                SELECT e.duration_ms, coalesce(
                    (SELECT o.insert_id FROM openings o
                     WHERE (o.install_no, o.session_id) = (e.install_no, e.session_id)
                       AND e.event_time - o.event_time BETWEEN interval '0' AND interval '25 hours'
                     ORDER BY o.event_time DESC LIMIT 1),
                    (SELECT o.insert_id FROM openings o
                     WHERE (o.install_no, o.session_id) = (e.install_no, e.session_id)
                       AND o.event_time - e.event_time BETWEEN interval '0' AND interval '25 hours'
                     ORDER BY o.event_time LIMIT 1)) AS opened_by
                FROM events e WHERE e.environment = 0 AND e.kind = 2)
            SELECT o.session_id, o.event_time, (SELECT max(duration_ms) FROM ends WHERE opened_by = o.insert_id)
            FROM openings o WHERE o.person = \(person) ORDER BY o.event_time DESC, o.insert_id DESC LIMIT 10000
            """
        ) {
            Session(
                id: try $0.string(0),
                startedMs: try $0.timestampMs(1),
                durationMs: try $0.optionalInt(2)
            )
        }
    }
}
