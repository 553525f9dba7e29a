import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct HealthEndpointTests {
    struct Answer: Decodable {
        struct Point: Decodable, Equatable {
            var ts: String
            var accepted: Int
            var rejected: Int
        }

        struct Count: Decodable, Equatable {
            var platform: String?
            var appVersion: String?
            var field: String?
            var count: Int
        }

        struct Reason: Decodable {
            var code: String
            var count: Int
            var share: Double
            var fields: [Count]
            var clients: [Count]
        }

        struct Client: Decodable, Equatable {
            var platform: String
            var appVersion: String?
            var events: Int
            var lastSeen: String
        }

        struct Event: Decodable {
            var name: String
            var environment: String
            var eventTime: String
            var receivedAt: String
            var installId: String
        }

        struct Rejection: Decodable, Equatable {
            var receivedAt: String
            var code: String
            var field: String?
            var platform: String?
            var appVersion: String?
            var insertId: String?
        }

        var firstEventAt: String?
        var lastEventAt: String?
        var accepted: Int
        var rejected: Int
        var points: [Point]
        var reasons: [Reason]
        var clients: [Client]
        var events: [Event]
        var rejections: [Rejection]
        var asOf: String
    }

    /// 14 October 2026, 12:30.
    private static let nowMs = utcMs("2026-10-14", hours: 12.5)

    private func with(
        timezone: String = "UTC",
        _ body: (ReaderWorld, TestApp) async throws -> Void
    ) async throws {
        try await withReader(clock: ManualWallClock(nowMs: Self.nowMs)) { world in
            try await body(world, try await TestApp.make(world.connection, timezone: timezone))
        }
    }

    private func health(_ world: ReaderWorld, _ app: TestApp, _ query: String = "") async throws -> Answer {
        try await world.read("/v1/apps/\(app.id)/integration/health\(query)")
    }

    private func reject(
        _ world: ReaderWorld,
        _ app: TestApp,
        at ms: Int64,
        _ code: String,
        field: String? = nil,
        platform: String? = "ios",
        version: String? = "1.0",
        count: Int = 1,
        insertID: UUID128? = nil
    ) async throws {
        let offset = try await world.connection.number("SELECT count(*) FROM rejections LIMIT 1")
        try await world.connection.execute(
            """
            INSERT INTO rejections (app_no, received_at, code, field, app_version, platform, insert_id, partition,
                                    message_offset, item_index)
            SELECT \(app.number), \(PostgresTimestamp(ms: ms))::timestamptz, \(code), \(field), \(version), \(platform),
                   \(insertID)::uuid, 0, \(offset), n
            FROM generate_series(1, \(count)) n
            """
        )
    }

    @Test func appThatWaitsForItsFirstEvent() async throws {
        try await with { world, app in
            let answer = try await health(world, app)
            #expect(answer.firstEventAt == nil)
            #expect(answer.lastEventAt == nil)
            #expect(answer.points.count == 24)
            #expect(answer.points.first == .init(ts: "2026-10-13T13:00:00+00:00", accepted: 0, rejected: 0))
            #expect(answer.points.last == .init(ts: "2026-10-14T12:00:00+00:00", accepted: 0, rejected: 0))
            #expect(answer.reasons.isEmpty && answer.clients.isEmpty && answer.events.isEmpty)
            #expect(answer.rejections.isEmpty)
            #expect(answer.asOf == "2026-10-14T12:30:00.000Z")
        }
    }

    @Test func firstEventOfDevelopmentIsSeenAtOnce() async throws {
        try await with { world, app in
            let test = EventContext.valid { $0.environment = .development }
            try await world.send(app, context: test, [.start(at: Self.nowMs - 5_000)])
            let answer = try await health(world, app)
            #expect(answer.firstEventAt == "2026-10-14T12:29:55.000Z")
            #expect(answer.events.map(\.environment) == ["development"])
            #expect(answer.events.map(\.receivedAt) == ["2026-10-14T12:29:56.000Z"])
            #expect(answer.accepted == 1)
            #expect(try await health(world, app, "?environment=production").firstEventAt == nil)
            #expect(try await health(world, app, "?environment=production").accepted == 0)
            #expect(try await health(world, app, "?environment=development").accepted == 1)
        }
    }

    @Test func hoursCountWhatTheyReceived() async throws {
        try await with { world, app in
            // Received within the second after they happened.
            try await world.send(app, [.start(at: Self.nowMs - 60_000)])
            try await world.send(app, [.start(at: utcMs("2026-10-14", hours: 12) - 500)])
            try await world.send(app, [.start(at: utcMs("2026-10-13", hours: 13) - 500)])
            try await world.send(app, [.start(at: utcMs("2026-10-13", hours: 13) - 5_000)])
            try await reject(world, app, at: utcMs("2026-10-14", hours: 11), "invalid_field", count: 3)
            try await reject(world, app, at: utcMs("2026-10-13", hours: 13) - 1, "invalid_field", count: 7)
            let points = try await health(world, app).points
            #expect(points.map(\.accepted) == [1] + [Int](repeating: 0, count: 22) + [2])
            #expect(points.map(\.rejected) == [Int](repeating: 0, count: 22) + [3, 0])
        }
    }

    @Test func hoursAreThoseOfTheAppsClock() async throws {
        try await with(timezone: "Asia/Kolkata") { world, app in
            try await world.send(app, [.start(at: Self.nowMs - 2_000)])
            let points = try await health(world, app).points
            #expect(points.count == 24)
            #expect(points.last?.ts == "2026-10-14T18:00:00+05:30")
            #expect(points.suffix(2).map(\.accepted) == [1, 0])
        }
    }

    @Test func reasonsTellWhereAndFromWhichBuilds() async throws {
        try await with { world, app in
            let hour = Self.nowMs - Span.hourMs
            try await reject(
                world,
                app,
                at: hour,
                "user_id_looks_like_pii",
                field: "user_id",
                version: "2.0",
                count: 5
            )
            try await reject(
                world,
                app,
                at: hour,
                "user_id_looks_like_pii",
                field: "user_id",
                platform: "web",
                count: 1
            )
            try await reject(world, app, at: hour, "invalid_field", field: "timestamp", count: 1)
            try await reject(world, app, at: hour, "invalid_batch", platform: nil, version: nil, count: 1)
            let other = try await TestApp.make(world.connection)
            try await reject(world, other, at: hour, "invalid_field", count: 9)
            let answer = try await health(world, app)
            #expect(answer.rejected == 8)
            #expect(
                answer.reasons.map(\.code) == ["user_id_looks_like_pii", "invalid_batch", "invalid_field"]
            )
            #expect(answer.reasons.map(\.count) == [6, 1, 1])
            #expect(answer.reasons.map(\.share) == [0.75, 0.125, 0.125])
            #expect(answer.reasons[0].fields == [.init(field: "user_id", count: 6)])
            #expect(
                answer.reasons[0].clients == [
                    .init(platform: "ios", appVersion: "2.0", count: 5),
                    .init(platform: "web", appVersion: "1.0", count: 1),
                ]
            )
            #expect(answer.reasons[1].fields == [.init(count: 1)])
            #expect(answer.reasons[1].clients == [.init(count: 1)])
        }
    }

    @Test func clientsAreToldByVersion() async throws {
        try await with { world, app in
            let old = EventContext.valid { $0.appVersion = nil }
            try await world.send(app, context: old, session(Self.nowMs - 3_600_000))
            try await world.send(app, session(Self.nowMs - 1_800_000))
            // The same build on another system is the same client.
            let other = EventContext.valid { $0.osName = "iPadOS" }
            try await world.send(app, context: other, [.start(at: Self.nowMs - 60_000)])
            #expect(
                try await health(world, app).clients == [
                    .init(
                        platform: "ios",
                        appVersion: "1.0",
                        events: 3,
                        lastSeen: "2026-10-14T12:29:00.000Z"
                    ),
                    .init(platform: "ios", appVersion: nil, events: 2, lastSeen: "2026-10-14T11:31:00.000Z"),
                ]
            )
        }
    }

    @Test func latestEventsAndRejectionsComeNewestFirst() async throws {
        try await with { world, app in
            let id = UUID128.random()
            for index in 0..<25 as Range<Int64> {
                try await world.send(app, [.start(at: Self.nowMs - index * 60_000)])
                try await reject(
                    world,
                    app,
                    at: Self.nowMs - index * 1_000,
                    "invalid_field",
                    insertID: index == 0 ? id : nil
                )
            }
            let answer = try await health(world, app)
            #expect(answer.lastEventAt == "2026-10-14T12:30:00.000Z")
            #expect(answer.firstEventAt == "2026-10-14T12:06:00.000Z")
            #expect(answer.events.count == 20)
            #expect(answer.events.map(\.eventTime) == answer.events.map(\.eventTime).sorted(by: >))
            #expect(answer.rejections.count == 20)
            #expect(answer.rejections.map(\.receivedAt) == answer.rejections.map(\.receivedAt).sorted(by: >))
            #expect(answer.rejections.first?.insertId == id.description)
        }
    }

    @Test(arguments: [("environment=x", "environment"), ("platform=ios", "platform")])
    func parameterThatIsWrongIsNamed(query: String, field: String) async throws {
        try await with { world, app in
            let answer = try await world.get("/v1/apps/\(app.id)/integration/health?\(query)")
            #expect(answer.status == 400)
            #expect(try (decoded(answer) as ErrorAnswer).error.details == ["field": field])
        }
    }
}

@Suite struct HealthWindowTests {
    /// The hour that the end of summer time repeats is two.
    @Test func repeatedHourIsTwo() throws {
        let zone = try LocalZone(named: "Europe/Berlin")
        let window = HealthWindow(zone, nowMs: utcMs("2026-10-25", hours: 12))
        #expect(window.starts.count == 24)
        #expect(zip(window.starts, window.starts.dropFirst()).allSatisfy { $1 - $0 == Span.hourMs })
        #expect(window.startMs == utcMs("2026-10-24", hours: 13))
    }
}
