import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

struct RealtimeAnswer: Decodable {
    struct Point: Decodable, Equatable {
        var minute: String
        var sessions: Int
    }

    struct Event: Decodable {
        var name: String
        var eventTime: String
        var clientTime: String
        var platform: String
        var appVersion: String?
        var osName: String?
        var deviceModel: String?
        var country: String?
        var city: String?
        var installId: String
        var personKey: String
    }

    var activeNow: Int
    var windowMinutes: Int
    var points: [Point]
    var events: [Event]
    var asOf: String
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct RealtimeEndpointTests {
    /// 14 October 2026, 12:00:30.
    private static let nowMs = utcMs("2026-10-14", hours: 12) + 30_000

    private func with(_ body: (ReaderWorld, TestApp, ManualWallClock) async throws -> Void) async throws {
        let clock = ManualWallClock(nowMs: Self.nowMs)
        try await withReader(clock: clock) { world in
            try await body(world, try await TestApp.make(world.connection), clock)
        }
    }

    private func realtime(_ world: ReaderWorld, _ app: TestApp, _ query: String = "") async throws
        -> RealtimeAnswer
    {
        try await world.read("/v1/apps/\(app.id)/realtime\(query)")
    }

    @Test func appWithoutEventsHasEveryMinuteAndNobody() async throws {
        try await with { world, app, _ in
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 0)
            #expect(answer.windowMinutes == 30)
            #expect(answer.points.count == 30)
            #expect(answer.points.first == .init(minute: "2026-10-14T11:31:00+00:00", sessions: 0))
            #expect(answer.points.last == .init(minute: "2026-10-14T12:00:00+00:00", sessions: 0))
            #expect(answer.events.isEmpty)
            #expect(answer.asOf == "2026-10-14T12:00:30.000Z")
        }
    }

    /// B65: by event_time, to the millisecond.
    @Test func eventCountsForHalfAnHour() async throws {
        try await with { world, app, clock in
            try await world.send(app, [.start(at: Self.nowMs)])
            for (afterMs, active) in [
                (0, 1), (1_799_000, 1), (1_800_000, 1), (1_800_001, 0), (1_801_000, 0),
            ] as [(Int64, Int)] {
                clock.set(nowMs: Self.nowMs + afterMs)
                #expect(try await realtime(world, app).activeNow == active, "after \(afterMs) ms")
            }
        }
    }

    @Test func eventAheadOfTheClockWaitsForItsTime() async throws {
        try await with { world, app, clock in
            try await world.send(app, [.start(at: Self.nowMs + 60_000)])
            #expect(try await realtime(world, app).activeNow == 0)
            #expect(try await realtime(world, app).events.isEmpty)
            clock.advance(ms: 60_000)
            #expect(try await realtime(world, app).activeNow == 1)
            #expect(try await realtime(world, app).events.count == 1)
        }
    }

    @Test func lateArrivalAndReplayRaiseNothing() async throws {
        try await with { world, app, _ in
            let fresh = [EventMessage.Event.start(at: Self.nowMs - 1_000)]
            try await world.send(app, install: 1, fresh)
            try await world.send(app, install: 2, [.start(at: Self.nowMs - 2 * Span.hourMs)])
            for _ in 0..<3 { try await world.send(app, install: 1, fresh) }
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 1)
            #expect(answer.points.map(\.sessions).reduce(0, +) == 1)
            #expect(answer.events.count == 2)
        }
    }

    @Test func peopleAreCountedAndNotInstallsOrSessions() async throws {
        try await with { world, app, _ in
            for install in 1...3 as ClosedRange<UInt64> {
                try await world.send(app, install: install, session(Self.nowMs - 120_000, user: "42"))
            }
            // Anonymous first, then signed in; the anonymous part is the account's too.
            try await world.send(app, install: 4, session(Self.nowMs - 300_000))
            try await world.send(app, install: 4, session(Self.nowMs - 200_000, user: "43"))
            // A stranger, twice, and somebody of whom only an end is there.
            try await world.send(app, install: 5, session(Self.nowMs - 400_000))
            try await world.send(app, install: 5, session(Self.nowMs - 100_000))
            try await world.send(app, install: 6, [.end(at: Self.nowMs - 50_000)])
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 4)
            #expect(answer.points.map(\.sessions).reduce(0, +) == 7)
        }
    }

    @Test func signInAfterwardsMakesTwoPeopleOne() async throws {
        try await with { world, app, _ in
            try await world.send(app, install: 1, session(Self.nowMs - 120_000, user: "42"))
            try await world.send(app, install: 2, session(Self.nowMs - 110_000))
            #expect(try await realtime(world, app).activeNow == 2)
            try await world.send(app, install: 2, session(Self.nowMs - 90_000, user: "42"))
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 1)
            #expect(Set(answer.events.map(\.personKey)) == ["u:42"])
        }
    }

    @Test func erasureLowersItAtOnce() async throws {
        try await with { world, app, _ in
            try await world.send(app, install: 1, session(Self.nowMs - 120_000))
            try await world.send(app, install: 2, session(Self.nowMs - 120_000))
            #expect(try await realtime(world, app).activeNow == 2)
            try await world.connection.execute("DELETE FROM events WHERE install_no = 1")
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 1)
            #expect(answer.events.count == 2)
        }
    }

    @Test func platformsAndEnvironmentsAreFiltered() async throws {
        try await with { world, app, _ in
            for (install, platform) in [(1, .ios), (2, .android), (3, .web)] as [(UInt64, Platform)] {
                let context = EventContext.valid { $0.platform = platform }
                try await world.send(app, install: install, context: context, session(Self.nowMs - 120_000))
            }
            let test = EventContext.valid { $0.environment = .development }
            try await world.send(app, install: 4, context: test, session(Self.nowMs - 120_000))
            #expect(try await realtime(world, app).activeNow == 3)
            let two = try await realtime(world, app, "?platform=ios&platform=web")
            #expect(two.activeNow == 2)
            #expect(two.points.map(\.sessions).reduce(0, +) == 2)
            #expect(Set(two.events.map(\.platform)) == ["ios", "web"])
            #expect(try await realtime(world, app, "?environment=development").activeNow == 1)
            #expect(try await realtime(world, app, "?platform=bot").activeNow == 0)
        }
    }

    @Test func minutesCarryTheOffsetOfTheApp() async throws {
        let clock = ManualWallClock(nowMs: Self.nowMs)
        try await withReader(clock: clock) { world in
            let app = try await TestApp.make(world.connection, timezone: "Asia/Kathmandu")
            try await world.send(app, session(Self.nowMs - 10_000))
            try await world.send(app, session(Self.nowMs - 40_000))
            let points = try await realtime(world, app).points
            #expect(
                points.suffix(2) == [
                    .init(minute: "2026-10-14T17:44:00+05:45", sessions: 1),
                    .init(minute: "2026-10-14T17:45:00+05:45", sessions: 1),
                ]
            )
        }
    }

    @Test func sessionStartedAgainIsOneSession() async throws {
        try await with { world, app, _ in
            let id = UUID128.random()
            try await world.send(app, [.start(at: Self.nowMs - 3 * Span.hourMs, session: id)])
            try await world.send(app, [.start(at: Self.nowMs - 60_000, session: id)])
            let answer = try await realtime(world, app)
            #expect(answer.activeNow == 1)
            #expect(answer.points.allSatisfy { $0.sessions == 0 })
        }
    }

    @Test func latestEventsAreTheFiftyNewestWithTheirFacts() async throws {
        try await with { world, app, _ in
            let context = EventContext.valid {
                $0.deviceModel = "iPhone17,3"
                $0.country = "RU"
                $0.city = "Москва"
            }
            for index in 0..<60 as Range<Int64> {
                let start = EventMessage.Event.start(
                    at: Self.nowMs - index * 1_000,
                    user: index == 0 ? "a/b" : nil
                )
                try await world.send(app, context: context, [start])
            }
            let events = try await realtime(world, app).events
            #expect(events.count == 50)
            #expect(events.map(\.eventTime) == events.map(\.eventTime).sorted(by: >))
            let first = try #require(events.first)
            #expect(first.name == "session_start")
            #expect(first.eventTime == "2026-10-14T12:00:30.000Z")
            #expect(first.clientTime == "2026-10-14T12:00:30.000Z")
            #expect(first.platform == "ios")
            #expect(first.appVersion == "1.0")
            #expect(first.osName == "iOS")
            #expect(first.deviceModel == "iPhone17,3")
            #expect(first.country == "RU")
            #expect(first.city == "Москва")
            #expect(first.installId == UUID128.fixed(1).description)
            #expect(first.personKey == "u:a/b")
        }
    }

    @Test(arguments: [("platform=nokia", "platform"), ("environment=x", "environment"), ("from=1", "from")])
    func parameterThatIsWrongIsNamed(query: String, field: String) async throws {
        try await with { world, app, _ in
            let answer = try await world.get("/v1/apps/\(app.id)/realtime?\(query)")
            #expect(answer.status == 400)
            #expect(try (decoded(answer) as ErrorAnswer).error.details == ["field": field])
        }
    }

    /// Random worlds: every figure equals plain SQL over raw events, written apart.
    @Test(arguments: Array(UInt64(1)...6))
    func agreesWithRawEvents(seed: UInt64) async throws {
        let clock = ManualWallClock(nowMs: 0)
        try await withReader(clock: clock) { world in
            let app = try await TestApp.make(world.connection)
            let random = RandomWorld(
                seed: seed,
                app: app.id,
                zone: .utc,
                firstDay: try day("2026-10-05"),
                sessions: 200
            )
            try await world.store(random.messages)
            var sawSome = false
            for moment in try await moments(world) {
                clock.set(nowMs: moment)
                for (query, platforms) in [("", nil), ("?platform=ios&platform=web", ["ios", "web"])] {
                    let answer = try await realtime(world, app, query)
                    let expected = try await oracle(world, nowMs: moment, platforms)
                    #expect(answer.activeNow == expected.active, "seed \(seed) at \(moment)\(query)")
                    #expect(answer.points.map(\.sessions) == expected.sessions, "seed \(seed) at \(moment)")
                    sawSome = sawSome || expected.active > 1
                }
            }
            #expect(sawSome)
        }
    }

    /// Where events crowd, and just before and after some.
    private func moments(_ world: ReaderWorld) async throws -> [Int64] {
        let times = try await world.connection.rows(
            "SELECT event_time FROM events WHERE environment = 0 ORDER BY event_time LIMIT 10000"
        ) { try $0.timestampMs(0) }
        return stride(from: 0, to: times.count, by: 25).flatMap { index in
            [times[index], times[index] + 1_800_000, times[index] + 900_123]
        }
    }

    private func oracle(_ world: ReaderWorld, nowMs: Int64, _ platforms: [String]?) async throws
        -> (active: Int, sessions: [Int])
    {
        let now = PostgresTimestamp(ms: nowMs)
        let common: SQL = """
            WITH raw AS (SELECT e.*, c.platform FROM events e JOIN contexts c USING (context_no) WHERE environment = 0),
            owner AS (
                SELECT DISTINCT ON (install_no) install_no, user_no AS owner FROM raw WHERE user_no IS NOT NULL
                ORDER BY install_no, event_time, insert_id),
            seen AS (
                SELECT raw.*, coalesce('u' || user_no, 'u' || owner, 'i' || install_no) AS person
                FROM raw LEFT JOIN owner USING (install_no)),
            shown AS (
                SELECT * FROM seen WHERE \(platforms)::text[] IS NULL OR platform = ANY (\(platforms)::text[]))
            """
        let active = try await world.connection.number(
            """
            \(common) SELECT count(DISTINCT person) FROM shown
            WHERE \(now)::timestamptz - event_time BETWEEN interval '0' AND interval '30 minutes' LIMIT 1
            """
        )
        let sessions = try await world.connection.rows(
            """
            \(common), numbered AS (
                SELECT *, lag(event_time) OVER (PARTITION BY install_no, session_id ORDER BY event_time, insert_id) AS before
                FROM seen WHERE kind = 1)
            SELECT (SELECT count(*) FROM numbered n
                    WHERE date_trunc('minute', n.event_time) = m AND n.event_time <= \(now)::timestamptz
                      AND (before IS NULL OR n.event_time - before > interval '25 hours')
                      AND (\(platforms)::text[] IS NULL OR platform = ANY (\(platforms)::text[])))
            FROM generate_series(date_trunc('minute', \(now)::timestamptz) - interval '29 minutes',
                                 date_trunc('minute', \(now)::timestamptz), interval '1 minute') m
            ORDER BY m LIMIT 30
            """
        ) { try $0.int(0) }
        return (active, sessions)
    }
}

extension ReaderWorld {
    /// Stores messages as they are.
    func store(_ messages: [EventMessage]) async throws {
        _ = try await store.store(
            messages.map { DecodedMessage(partition: 0, offset: 0, content: .events($0)) },
            progress: []
        )
    }
}
