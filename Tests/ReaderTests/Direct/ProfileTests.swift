import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ReaderCore

struct ProfileAnswer: Decodable {
    struct Install: Decodable {
        var installId: String
        var firstSeen: String
        var lastSeen: String
        var platform: String
    }

    struct Device: Decodable, Equatable {
        var platform: String
        var appVersion: String?
        var osName: String?
        var deviceModel: String?
        var lastSeen: String
    }

    struct Session: Decodable, Equatable {
        var sessionId: String
        var installId: String
        var userId: String?
        var startedAt: String
        var clientTime: String
        var durationMs: Int?
        var platform: String
        var appVersion: String?
        var osName: String?
        var osVersion: String?
        var deviceModel: String?
        var country: String?
        var city: String?
    }

    var personKey: String
    var userId: String?
    var firstSeen: String
    var lastSeen: String
    var installs: [Install]
    var installsTotal: Int
    var devices: [Device]
    var sessions: [Session]
    var nextBefore: String?
}

extension ReaderWorld {
    /// - Parameter segment: as it stands in the path.
    func profile(_ app: TestApp, _ segment: String, _ query: String = "") async throws -> ProfileAnswer {
        try await read("/v1/apps/\(app.id)/profiles/\(segment)\(query)")
    }

    func profileStatus(_ app: TestApp, _ segment: String, _ query: String = "") async throws -> Int {
        try await get("/v1/apps/\(app.id)/profiles/\(segment)\(query)").status
    }

    /// Every session, page by page.
    func pages(_ app: TestApp, _ segment: String, limit: Int) async throws -> [[ProfileAnswer.Session]] {
        var pages: [[ProfileAnswer.Session]] = []
        var before: String?
        repeat {
            let cursor = before.map { "&before=\($0)" } ?? ""
            let page = try await profile(app, segment, "?sessions_limit=\(limit)\(cursor)")
            pages.append(page.sessions)
            before = page.nextBefore
        } while before != nil
        return pages
    }
}

/// The unreserved characters of RFC 3986 as they are, everything else percent-encoded.
func encodedSegment(_ text: String) -> String {
    text.utf8.map { byte in
        let isPlain =
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        let hex = String(byte, radix: 16, uppercase: true)
        return isPlain ? String(UnicodeScalar(byte)) : "%" + (hex.count < 2 ? "0" + hex : hex)
    }.joined()
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ProfileEndpointTests {
    private static let ms = utcMs("2026-10-05", hours: 9)

    private func with(_ body: (ReaderWorld, TestApp) async throws -> Void) async throws {
        try await withReader { world in try await body(world, try await TestApp.make(world.connection)) }
    }

    @Test func profileTellsWhoWhereAndWhen() async throws {
        try await with { world, app in
            let phone = EventContext.valid {
                $0.osVersion = "26.0.1"
                $0.deviceModel = "iPhone17,3"
                $0.country = "RU"
                $0.city = "Moscow"
            }
            let newer = EventContext.valid {
                $0.appVersion = "2.0"
                $0.deviceModel = "iPhone17,3"
            }
            let web = EventContext(environment: .production, platform: .web)
            try await world.send(app, install: 1, context: phone, session(Self.ms))
            try await world.send(
                app,
                install: 1,
                context: newer,
                session(Self.ms + Span.dayMs, nil, user: "42")
            )
            try await world.send(
                app,
                install: 2,
                context: web,
                session(Self.ms + 2 * Span.dayMs, 5_000, user: "42")
            )
            let profile = try await world.profile(app, "u:42")
            #expect(profile.personKey == "u:42")
            #expect(profile.userId == "42")
            #expect(profile.firstSeen == "2026-10-05T09:00:00.000Z")
            #expect(profile.lastSeen == "2026-10-07T09:00:05.000Z")
            #expect(profile.installsTotal == 2)
            #expect(profile.installs.map(\.installId) == [UUID128.fixed(2), .fixed(1)].map(\.description))
            #expect(profile.installs.map(\.platform) == ["web", "ios"])
            #expect(
                profile.installs.map(\.firstSeen) == ["2026-10-07T09:00:00.000Z", "2026-10-05T09:00:00.000Z"]
            )
            #expect(
                profile.installs.map(\.lastSeen) == ["2026-10-07T09:00:05.000Z", "2026-10-06T09:00:00.000Z"]
            )
            #expect(profile.devices.map(\.platform) == ["web", "ios", "ios"])
            #expect(profile.devices.map(\.appVersion) == [nil, "2.0", "1.0"])
            #expect(profile.devices.last?.lastSeen == "2026-10-05T09:00:00.000Z")
            #expect(profile.sessions.map(\.durationMs) == [5_000, nil, 60_000])
            #expect(profile.sessions.map(\.userId) == ["42", "42", nil])
            #expect(profile.nextBefore == nil)
            let oldest = try #require(profile.sessions.last)
            #expect(oldest.startedAt == "2026-10-05T09:00:00.000Z")
            #expect(oldest.clientTime == "2026-10-05T09:00:00.000Z")
            #expect(oldest.installId == UUID128.fixed(1).description)
            #expect([oldest.platform, oldest.appVersion, oldest.osName] == ["ios", "1.0", "iOS"])
            #expect([oldest.osVersion, oldest.deviceModel] == ["26.0.1", "iPhone17,3"])
            #expect([oldest.country, oldest.city] == ["RU", "Moscow"])
        }
    }

    /// B44: each id reaches exactly its own profile.
    @Test func everyIDReachesItsOwnProfile() async throws {
        try await with { world, app in
            let ids = [
                "team/42", "a%2Fb", "a/b", "50%", "a+b", "a b", "a:b", "a?b#c", "..", ".", "日本", "😀", "A",
                "a",
                "\u{E9}", "e\u{301}", "u:a", "'; DROP TABLE users;--", "\\", "\"", "%", "i:", "&x=1", " ",
            ]
            for (index, id) in ids.enumerated() {
                try await world.send(
                    app,
                    install: UInt64(index + 1),
                    session(Self.ms + Int64(index) * 1_000, user: id)
                )
            }
            for (index, id) in ids.enumerated() {
                let profile = try await world.profile(app, "u:" + encodedSegment(id))
                #expect(profile.personKey.utf8.elementsEqual(("u:" + id).utf8))
                #expect(profile.installs.map(\.installId) == [UUID128.fixed(UInt64(index + 1)).description])
                let encodedColon = try await world.profile(app, "u%3A" + encodedSegment(id))
                #expect(encodedColon.firstSeen == profile.firstSeen)
            }
            // As they are, where a path may hold them.
            #expect(try await world.profile(app, "u:a+b").userId == "a+b")
            #expect(try await world.profile(app, "u:..").userId == "..")
            #expect(try await world.profileStatus(app, "u:a/b") == 404)
        }
    }

    @Test(arguments: [
        "u:nobody", "i:0199d5f0-0000-7000-8000-000000000002", "i:42", "u:", "x:1", "42", "u%00", "%ff",
    ])
    func nobodyIsNotFound(segment: String) async throws {
        try await with { world, app in
            try await world.send(app, session(Self.ms, user: "42"))
            let answer = try await world.get("/v1/apps/\(app.id)/profiles/\(segment)")
            let isText = segment != "u%00" && segment != "%ff"
            #expect(answer.status == (isText ? 404 : 400))
            let error = try (decoded(answer) as ErrorAnswer).error
            #expect(error.code == (isText ? "not_found" : "invalid_request"))
            #expect(error.details == ["field": isText ? "person_key" : "path"])
        }
    }

    /// B15: two accounts on one device.
    @Test func secondAccountHasOnlyItsOwn() async throws {
        try await with { world, app in
            for (index, user) in [nil, "101", nil, "202", nil].enumerated() {
                try await world.send(app, session(Self.ms + Int64(index) * Span.hourMs, user: user))
            }
            let first = try await world.profile(app, "u:101")
            #expect(first.sessions.map(\.userId) == [nil, nil, "101", nil])
            let second = try await world.profile(app, "u:202")
            #expect(second.sessions.map(\.userId) == ["202"])
            #expect(second.firstSeen == "2026-10-05T12:00:00.000Z")
            #expect(second.lastSeen == "2026-10-05T12:01:00.000Z")
            #expect(second.installs.map(\.firstSeen) == ["2026-10-05T12:00:00.000Z"])
            #expect(second.installs.map(\.lastSeen) == ["2026-10-05T12:01:00.000Z"])
            #expect(first.lastSeen == "2026-10-05T13:01:00.000Z")
        }
    }

    @Test func installIsAPersonUntilItBelongsToSomebody() async throws {
        try await with { world, app in
            let key = "i:\(UUID128.fixed(1))"
            try await world.send(app, session(Self.ms))
            let before = try await world.profile(app, key)
            #expect(before.userId == nil)
            #expect(before.personKey == key)
            #expect(before.sessions.count == 1)
            #expect(
                try await world.profile(app, "i:\(UUID128.fixed(1).description.uppercased())").personKey
                    == key
            )
            try await world.send(app, session(Self.ms + Span.hourMs, user: "42"))
            #expect(try await world.profileStatus(app, key) == 404)
            #expect(try await world.profile(app, "u:42").sessions.count == 2)
        }
    }

    @Test func environmentsAndAppsAreWorldsApart() async throws {
        try await with { world, app in
            let other = try await TestApp.make(world.connection)
            let test = EventContext.valid { $0.environment = .development }
            try await world.send(app, context: test, session(Self.ms, user: "42"))
            #expect(try await world.profileStatus(app, "u:42") == 404)
            #expect(try await world.profileStatus(other, "u:42", "?environment=development") == 404)
            #expect(try await world.profile(app, "u:42", "?environment=development").sessions.count == 1)
        }
    }

    @Test func personWithoutEventsIsNobody() async throws {
        try await with { world, app in
            try await world.send(app, session(Self.ms, user: "42"))
            try await world.connection.execute("DELETE FROM events")
            #expect(try await world.profileStatus(app, "u:42") == 404)
        }
    }

    @Test func endsBelongToTheSessionAndTheLongestCounts() async throws {
        try await with { world, app in
            let id = UUID128.random()
            try await world.send(app, [.end(at: Self.ms - 5_000, session: id, durationMs: 7_000)])
            try await world.send(
                app,
                [.start(at: Self.ms, session: id), .start(at: Self.ms + 1_000, session: id)]
            )
            try await world.send(app, [.end(at: Self.ms + 9_000, session: id, durationMs: 6_000)])
            // The same id a day and a half later is another session.
            try await world.send(app, [.start(at: Self.ms + 36 * Span.hourMs, session: id)])
            let sessions = try await world.profile(app, "i:\(UUID128.fixed(1))").sessions
            #expect(sessions.map(\.durationMs) == [nil, 7_000])
            #expect(sessions.map(\.startedAt) == ["2026-10-06T21:00:00.000Z", "2026-10-05T09:00:00.000Z"])
        }
    }

    @Test(arguments: [
        ("sessions_limit=0", "sessions_limit"), ("sessions_limit=501", "sessions_limit"),
        ("sessions_limit=-1", "sessions_limit"), ("sessions_limit=1e2", "sessions_limit"),
        ("before=", "before"),
        ("before=AAAA", "before"), ("before=1&before=2", "before"), ("limit=5", "limit"),
        ("environment=", "environment"),
    ])
    func parameterThatIsWrongIsNamed(query: String, field: String) async throws {
        try await with { world, app in
            try await world.send(app, session(Self.ms, user: "42"))
            let answer = try await world.get("/v1/apps/\(app.id)/profiles/u:42?\(query)")
            #expect(answer.status == 400)
            #expect(try (decoded(answer) as ErrorAnswer).error.details == ["field": field])
            #expect(try await world.profileStatus(app, "u:42", "?sessions_limit=500") == 200)
        }
    }
}

/// B54: cursors.
@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SessionPageTests {
    private static let ms = utcMs("2026-10-05", hours: 9)

    private func with(_ body: (ReaderWorld, TestApp) async throws -> Void) async throws {
        try await withReader { world in try await body(world, try await TestApp.make(world.connection)) }
    }

    private func starts(_ count: Int, at ms: Int64 = ms, user: String? = "42") -> [EventMessage.Event] {
        (0..<count).map { _ in .start(at: ms, user: user) }
    }

    @Test(arguments: [1, 7, 10, 24, 25, 26])
    func equalTimesAreNeitherLostNorRepeated(limit: Int) async throws {
        try await with { world, app in
            // On two installs, so that a page is merged from both.
            let events = starts(25)
            try await world.send(app, install: 1, Array(events.prefix(12)))
            try await world.send(app, install: 2, Array(events.suffix(13)))
            let pages = try await world.pages(app, "u:42", limit: limit)
            let ids = pages.flatMap { $0 }.map(\.sessionId)
            #expect(ids.count == 25)
            #expect(Set(ids) == Set(events.map(\.sessionID.description)))
            #expect(pages.dropLast().allSatisfy { $0.count == limit })
            #expect(pages.count == (25 + limit - 1) / limit)
        }
    }

    @Test func microsecondsAreTheOrder() async throws {
        try await with { world, app in
            let events = starts(9)
            try await world.send(app, events)
            for (index, event) in events.enumerated() {
                try await world.connection.execute(
                    """
                    UPDATE events SET event_time = event_time + \(index * 7) * interval '1 microsecond'
                    WHERE insert_id = \(event.insertID)::uuid
                    """
                )
            }
            let ids = try await world.pages(app, "u:42", limit: 2).flatMap { $0 }.map(\.sessionId)
            #expect(ids == events.reversed().map(\.sessionID.description))
        }
    }

    @Test func whatComesBetweenPagesNeitherRepeatsNorHidesAnything() async throws {
        try await with { world, app in
            let own = (0..<20).map { EventMessage.Event.start(at: Self.ms + $0 * 1_000, user: "42") }
            try await world.send(app, install: 1, own)
            let stranger = (0..<5).map { EventMessage.Event.start(at: Self.ms + $0 * 1_000 + 500) }
            try await world.send(app, install: 2, stranger)
            let first = try await world.profile(app, "u:42", "?sessions_limit=10")
            #expect(first.sessions.map(\.sessionId) == own.suffix(10).reversed().map(\.sessionID.description))
            // A new one, one that is late, and another install that becomes theirs.
            try await world.send(app, install: 1, [.start(at: Self.ms + Span.hourMs, user: "42")])
            let late = EventMessage.Event.start(at: Self.ms - Span.hourMs, user: "42")
            try await world.send(app, install: 1, [late])
            try await world.send(app, install: 2, [.end(at: Self.ms + 2 * Span.hourMs, user: "42")])
            let cursor = try #require(first.nextBefore)
            let second = try await world.profile(app, "u:42", "?sessions_limit=100&before=\(cursor)")
            let expected = (own.prefix(10) + stranger + [late]).sorted { $0.eventTimeMs > $1.eventTimeMs }
            #expect(second.sessions.map(\.sessionId) == expected.map(\.sessionID.description))
            #expect(second.nextBefore == nil)
        }
    }

    @Test func cursorLeadsOnForItsPersonOnly() async throws {
        try await with { world, app in
            let other = try await TestApp.make(world.connection)
            for app in [app, other] {
                try await world.send(app, install: 1, starts(5))
                try await world.send(app, install: 2, starts(5, user: "43"))
            }
            let cursor = try #require(try await world.profile(app, "u:42", "?sessions_limit=2").nextBefore)
            let query = "?sessions_limit=2&before=\(cursor)"
            #expect(try await world.profileStatus(app, "u:42", query) == 200)
            #expect(try await world.profileStatus(app, "u:43", query) == 400)
            #expect(try await world.profileStatus(other, "u:42", query) == 400)
            #expect(try await world.profileStatus(app, "u:42", query + "&environment=development") == 400)
            #expect(try await world.profileStatus(app, "u:42", "?before=\(cursor.dropLast())") == 400)
        }
    }

    /// B66.
    @Test func thousandsOfInstallsAreOnePerson() async throws {
        try await with { world, app in
            try await fillKiosk(world, app, installs: 3_000)
            let profile = try await world.profile(app, "u:kiosk")
            #expect(profile.installsTotal == 3_000)
            #expect(profile.installs.count == 1_000)
            #expect(profile.sessions.count == 50)
            #expect(profile.firstSeen == "2026-01-01T00:00:00.000Z")
            let ids = try await world.pages(app, "u:kiosk", limit: 500).flatMap { $0 }.map(\.sessionId)
            #expect(ids.count == 6_000)
            #expect(Set(ids).count == 6_000)
        }
    }

    /// Installs one after the other over ten months, each with an anonymous session before the named one.
    private func fillKiosk(_ world: ReaderWorld, _ app: TestApp, installs: Int) async throws {
        let firstMs = utcMs("2026-01-01")
        var messages: [EventMessage] = []
        for index in 0..<installs {
            let ms = firstMs + Int64(index) * 300 * Span.dayMs / Int64(installs)
            let events = [EventMessage.Event.start(at: ms), .start(at: ms + 1_000, user: "kiosk")]
            messages.append(.valid(app: app.id, install: .fixed(UInt64(index + 1)), events))
        }
        for start in stride(from: 0, to: messages.count, by: 1_000) {
            try await world.store(Array(messages[start..<min(start + 1_000, messages.count)]))
        }
    }
}
