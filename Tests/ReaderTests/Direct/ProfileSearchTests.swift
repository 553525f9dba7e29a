import Contracts
import TestSupport
import Testing

@testable import ReaderCore

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct ProfileSearchTests {
    private struct Answer: Decodable {
        struct Item: Decodable, Equatable {
            var personKey: String
            var userId: String?
            var installId: String?
            var firstSeen: String
            var lastSeen: String
            var installs: Int
        }

        var items: [Item]
        var total: Int
    }

    private static let ms = utcMs("2026-10-05", hours: 9)

    private func with(_ body: (ReaderWorld, TestApp) async throws -> Void) async throws {
        try await withReader { world in try await body(world, try await TestApp.make(world.connection)) }
    }

    private func search(_ world: ReaderWorld, _ app: TestApp, _ query: String) async throws -> Answer {
        try await world.read("/v1/apps/\(app.id)/profiles?\(query)")
    }

    @Test func userIsFoundByTheExactID() async throws {
        try await with { world, app in
            try await world.send(app, install: 1, session(Self.ms))
            try await world.send(app, install: 1, session(Self.ms + 60_000, 1_000, user: "a+b"))
            try await world.send(app, install: 2, session(Self.ms + 120_000, 1_000, user: "a+b"))
            let found = try await search(world, app, "user_id=a%2Bb")
            #expect(found.total == 1)
            #expect(
                found.items == [
                    .init(
                        personKey: "u:a+b",
                        userId: "a+b",
                        firstSeen: "2026-10-05T09:00:00.000Z",
                        lastSeen: "2026-10-05T09:02:01.000Z",
                        installs: 2
                    )
                ]
            )
            for query in ["user_id=a%20b", "user_id=a", "user_id=A%2BB", "user_id=a%2Bb%20", "user_id=%25"] {
                #expect(try await search(world, app, query).items.isEmpty)
            }
            #expect(try await search(world, app, "user_id=a%2Bb&environment=development").total == 0)
        }
    }

    @Test func installLeadsToWhomItBelongsAndThenToTheOthers() async throws {
        try await with { world, app in
            let install = UUID128.fixed(1).description
            try await world.send(app, install: 1, session(Self.ms))
            let alone = try await search(world, app, "install_id=\(install.uppercased())")
            #expect(alone.items.map(\.personKey) == ["i:" + install])
            #expect(alone.items.map(\.installId) == [install])
            #expect(alone.items.map(\.installs) == [1])
            // The account that is stored first is not the one that signed in first.
            try await world.send(app, install: 1, session(Self.ms + 2 * Span.hourMs, user: "late"))
            try await world.send(app, install: 1, session(Self.ms + Span.hourMs, user: "early"))
            let both = try await search(world, app, "install_id=\(install)")
            #expect(both.items.map(\.personKey) == ["u:early", "u:late"])
            #expect(both.items.map(\.firstSeen) == ["2026-10-05T09:00:00.000Z", "2026-10-05T11:00:00.000Z"])
            #expect(both.total == 2)
            #expect(try await search(world, app, "install_id=\(UUID128.fixed(9))").items.isEmpty)
        }
    }

    /// B66: many accounts on one install.
    @Test func hundredPeopleOfAnInstallAreListedAndAllCounted() async throws {
        try await with { world, app in
            let events = (0..<120).map { EventMessage.Event.start(at: Self.ms + $0, user: "user \($0)") }
            try await world.send(app, events)
            let found = try await search(world, app, "install_id=\(UUID128.fixed(1))")
            #expect(found.items.count == 100)
            #expect(found.total == 120)
            #expect(found.items.first?.personKey == "u:user 0")
        }
    }

    @Test(arguments: [
        ("", "user_id"), ("user_id=", "user_id"), ("install_id=", "install_id"),
        ("install_id=42", "install_id"),
        ("user_id=1&user_id=2", "user_id"), ("userid=1", "user_id"),
        ("user_id=1&install_id=0199d5f0-0000-7000-8000-000000000002", "install_id"),
        ("user_id=1&limit=5", "limit"), ("user_id=%00", "query"),
    ])
    func parameterThatIsWrongIsNamed(query: String, field: String) async throws {
        try await with { world, app in
            let answer = try await world.get("/v1/apps/\(app.id)/profiles?\(query)")
            #expect(answer.status == 400)
            #expect(try (decoded(answer) as ErrorAnswer).error.details == ["field": field])
        }
    }
}
