import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// First owner, first seen and numbers, in whatever order events arrive.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct IdentityTests {
    private static let noon = EventMessage.Event.defaultMs
    private static let owner: SQL = """
        SELECT u.user_id FROM installs i LEFT JOIN users u ON u.app_no = i.app_no
          AND u.environment = i.environment AND u.user_no = i.owner_no
        ORDER BY i.install_no LIMIT 100
        """

    /// Anonymous, 101, signed out, 202, signed out; in each of several orders of arrival.
    @Test(arguments: [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [3, 0, 4, 1, 2], [2, 4, 3, 0, 1]])
    func theEarliestAccountOwnsTheDevice(order: [Int]) async throws {
        let events = [nil, "101", nil, "202", nil].enumerated().map { hour, user in
            EventMessage.Event.start(at: Self.noon + Int64(hour) * Span.hourMs, user: user)
        }
        try await withStore { bench in
            for index in order {
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [events[index]]))
            }
            let owners = try await bench.connection.texts(Self.owner)
            #expect(owners == ["101"])
            let users = try await bench.connection.texts("SELECT user_id FROM users ORDER BY 1 LIMIT 100")
            #expect(users == ["101", "202"])
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func atOneInstantTheSmallerInsertIDDecides(order: [Int]) async throws {
        let events = [
            EventMessage.Event.start(user: "later") { $0.insertID = .fixed(2) },
            EventMessage.Event.start(user: "earlier") { $0.insertID = .fixed(1) },
        ]
        try await withStore { bench in
            for index in order {
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [events[index]]))
            }
            let owners = try await bench.connection.texts(Self.owner)
            #expect(owners == ["earlier"])
        }
    }

    @Test func anAnonymousInstallHasNoOwner() async throws {
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id))
            let owners = try await bench.connection.texts(Self.owner)
            #expect(owners == ["NULL"])
        }
    }

    /// B12: a sign-in after the fact, then an event from before everything.
    @Test func lateEventsMoveFirstSeen() async throws {
        try await withStore { bench in
            let (one, two) = (UUID128.fixed(1), UUID128.fixed(2))
            let anonymous = EventMessage.Event.start(at: Self.noon - Span.dayMs)
            let signedIn = EventMessage.Event.start(at: Self.noon, user: "42")
            let back = EventMessage.Event.start(at: Self.noon + Span.hourMs, user: "42")
            let late = EventMessage.Event.start(at: Self.noon - 5 * Span.dayMs, user: "42")
            try await bench.store.add(.valid(app: bench.app.id, install: one, [anonymous]))
            try await bench.store.add(.valid(app: bench.app.id, install: two, [signedIn]))
            try await bench.store.add(.valid(app: bench.app.id, install: one, [back]))
            let before = try await Self.firstSeen(bench)
            try await bench.store.add(.valid(app: bench.app.id, install: two, [late]))
            let after = try await Self.firstSeen(bench)
            #expect(before == ["i1 2026-10-13", "i2 2026-10-14", "u42 2026-10-14"])
            #expect(after == ["i1 2026-10-13", "i2 2026-10-09", "u42 2026-10-09"])
        }
    }

    @Test func theContextOfTheFirstEventIsKept() async throws {
        try await withStore { bench in
            for (hours, version) in [(2, "2"), (1, "1"), (3, "3")] {
                let event = EventMessage.Event.start(at: Self.noon + Int64(hours) * Span.hourMs, user: "42")
                try await bench.store.add(
                    .valid(app: bench.app.id, install: .fixed(1), [event]) {
                        $0.contexts = [.valid { $0.appVersion = version }]
                    }
                )
            }
            let versions = try await bench.connection.texts(
                """
                SELECT c.app_version || c2.app_version FROM installs i, users u, contexts c, contexts c2
                WHERE c.context_no = i.first_context_no AND c2.context_no = u.first_context_no LIMIT 10
                """
            )
            #expect(versions == ["11"])
        }
    }

    @Test func anonymousFirstIgnoresEventsWithAnAccount() async throws {
        try await withStore { bench in
            let events = [
                EventMessage.Event.start(at: Self.noon, user: "42"),
                .start(at: Self.noon + 2 * Span.dayMs), .start(at: Self.noon + Span.dayMs),
            ]
            for event in events {
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [event]))
            }
            let days = try await bench.connection.texts(
                "SELECT anonymous_first_at::date::text FROM installs LIMIT 10"
            )
            #expect(days == ["2026-10-15"])
        }
    }

    @Test func environmentsAreSeparateWorlds() async throws {
        try await withStore { bench in
            for environment in AppEnvironment.allCases {
                let at = environment == .development ? Self.noon - Span.dayMs : Self.noon
                try await bench.store.add(
                    .valid(app: bench.app.id, install: .fixed(1), [.start(at: at, user: "42")]) {
                        $0.contexts = [.valid { $0.environment = environment }]
                    }
                )
            }
            let rows = try await bench.connection.texts(
                """
                SELECT ROW(i.environment, i.install_no, u.user_no, i.first_at::date, u.first_at::date)::text
                FROM installs i JOIN users u USING (app_no, environment) ORDER BY 1 LIMIT 10
                """
            )
            #expect(rows == ["(0,1,1,2026-10-14,2026-10-14)", "(1,1,1,2026-10-13,2026-10-13)"])
        }
    }

    @Test func userIDsAreComparedByteForByte() async throws {
        let users = ["a", "A", "a ", "ä", "a\u{308}", "", "42", "042"].filter { !$0.isEmpty }
        try await withStore { bench in
            try await bench.store.add(.valid(app: bench.app.id, users.map { .start(user: $0) }))
            let count = try await bench.connection.number("SELECT count(*) FROM users LIMIT 1")
            #expect(count == users.count)
        }
    }

    @Test func everyInstallOfAUserIsLinkedOnce() async throws {
        try await withStore { bench in
            for _ in 0..<2 {
                for install in [1, 2] as [UInt64] {
                    let event = EventMessage.Event.start(user: "42")
                    try await bench.store.add(.valid(app: bench.app.id, install: .fixed(install), [event]))
                }
            }
            let links = try await bench.connection.number("SELECT count(*) FROM user_installs LIMIT 1")
            #expect(links == 2)
        }
    }

    private static func firstSeen(_ bench: StoreBench) async throws -> [String] {
        try await bench.connection.texts(
            """
            SELECT 'i' || right(install_id::text, 1) || ' ' || first_at::date FROM installs
            UNION ALL SELECT 'u' || user_id || ' ' || first_at::date FROM users ORDER BY 1 LIMIT 100
            """
        )
    }
}
