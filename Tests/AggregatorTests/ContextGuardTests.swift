import AggregatorCore
import Contracts
import Postgres
import ServiceKit
import TestSupport
import Testing

/// An app's new contexts are bounded for each UTC day of receipt.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct ContextGuardTests {
    private static let noon = EventMessage.Event.defaultMs
    private static let models: SQL = """
        SELECT coalesce(c.device_model, '-') FROM events e JOIN contexts c USING (context_no)
        ORDER BY e.client_time LIMIT 100
        """

    @Test func beyondTheBoundTheFreeTextIsAbsent() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 2)
            let outcome = try await store.add((0..<4).map { Self.message(bench.app, model: $0) })
            #expect(outcome.contextsCut == [bench.app.id: 2])
            let models = try await bench.connection.texts(Self.models)
            #expect(models == ["model 0", "model 1", "-", "-"])
        }
    }

    @Test func whatComesFromClosedListsIsKept() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 0)
            try await store.add(
                Self.message(bench.app, model: 1) {
                    $0.contexts = [
                        .valid {
                            $0.osVersion = "18"
                            $0.appBuild = "7"
                            $0.deviceModel = "one"
                            $0.deviceType = .tablet
                            $0.locale = "de-DE"
                            $0.country = "DE"
                            $0.city = "Berlin"
                        }
                    ]
                }
            )
            let rows = try await bench.connection.texts(
                """
                SELECT ROW(platform, os_name, os_version, app_version, app_build, device_model, device_type, locale,
                           country, city)::text FROM contexts ORDER BY 1 LIMIT 10
                """
            )
            #expect(rows == ["(ios,,,,,,tablet,,DE,Berlin)"])
        }
    }

    @Test func contextsThatAreKnownStayWhole() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 1)
            try await store.add(Self.message(bench.app, model: 0))
            let outcome = try await store.add([1, 0, 1, 0].map { Self.message(bench.app, model: $0) })
            #expect(outcome.contextsCut == [bench.app.id: 1])
            let models = try await bench.connection.texts(Self.models)
            #expect(models.sorted() == ["-", "-", "model 0", "model 0", "model 0"])
        }
    }

    @Test func aRestartDoesNotStartAgainFromZero() async throws {
        try await withStore { bench in
            try await Self.store(bench.url, max: 2).add((0..<2).map { Self.message(bench.app, model: $0) })
            let outcome = try await Self.store(bench.url, max: 2).add([Self.message(bench.app, model: 2)])
            #expect(outcome.contextsCut == [bench.app.id: 1])
        }
    }

    @Test func anotherDayHasRoomAgain() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 1)
            try await store.add((0..<2).map { Self.message(bench.app, model: $0) })
            let next = Self.message(bench.app, model: 1, at: Self.noon + Span.dayMs)
            let outcome = try await store.add([next])
            #expect(outcome.contextsCut.isEmpty)
            let models = try await bench.connection.texts(Self.models)
            #expect(models == ["model 0", "-", "model 1"])
        }
    }

    @Test func everyAppHasABoundOfItsOwn() async throws {
        try await withStore { bench in
            let other = try await TestApp.make(bench.connection)
            let store = try await Self.store(bench.url, max: 1)
            let outcome = try await store.add([bench.app, other].map { Self.message($0, model: 1) })
            #expect(outcome.contextsCut.isEmpty)
        }
    }

    /// A batch that fails has used up nothing.
    @Test func aBatchRolledBackCountsNothing() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 1)
            try await bench.connection.script(
                "ALTER TABLE dirty_days ADD CONSTRAINT closed CHECK (day < '2000-01-01')"
            )
            _ = try await sqlState(of: { try await store.add([Self.message(bench.app, model: 0)]) })
            try await bench.connection.script("ALTER TABLE dirty_days DROP CONSTRAINT closed")
            let outcome = try await store.add([Self.message(bench.app, model: 1)])
            #expect(outcome.contextsCut.isEmpty)
            let contexts = try await bench.connection.texts("SELECT device_model FROM contexts LIMIT 10")
            #expect(contexts == ["model 1"])
        }
    }

    @Test func aReplayLeavesStoredEventsAsTheyAre() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 2)
            let messages = (0..<6).map { Self.message(bench.app, model: $0) }
            try await store.add(messages)
            let before = try await StoredFacts.of(bench.app, bench.connection)
            for max in [0, 2, 100] {
                try await Self.store(bench.url, max: max).add(Array(messages.reversed()))
                let after = try await StoredFacts.of(bench.app, bench.connection)
                #expect(after == before, "bound \(max)")
            }
            let contexts = try await bench.connection.number("SELECT count(*) FROM contexts LIMIT 1")
            #expect(contexts == 3)
        }
    }

    /// A flood from two instances at once: the bound holds over both, and each context is whole or cut, never lost.
    @Test func manyHostileContextsFromTwoInstances() async throws {
        try await withStore { bench in
            let bound = 500
            let first = try await Self.store(bench.url, max: bound)
            let second = try await Self.store(bench.url, max: bound)
            async let one: Void = Self.flood(first, bench.app, from: 0)
            async let two: Void = Self.flood(second, bench.app, from: 2_500)
            _ = try await (one, two)
            let whole = try await bench.connection.number(
                "SELECT count(*) FROM contexts WHERE device_model IS NOT NULL LIMIT 1"
            )
            #expect(whole == bound)
            let counted = try await bench.connection.number("SELECT contexts FROM context_counts LIMIT 1")
            #expect(counted == bound)
            let events = try await bench.connection.eventCount()
            #expect(events == 5_000)
            let all = try await bench.connection.number("SELECT count(*) FROM contexts LIMIT 1")
            #expect(all == bound + 1)
        }
    }

    @Test func countsOfLongPastDaysGo() async throws {
        try await withStore { bench in
            let store = try await Self.store(bench.url, max: 10)
            for days in [0, 10, 95] as [Int64] {
                try await store.add([
                    Self.message(bench.app, model: Int(days), at: Self.noon + days * Span.dayMs)
                ])
            }
            let days = try await bench.connection.texts(
                "SELECT day::text FROM context_counts ORDER BY 1 LIMIT 10"
            )
            #expect(days == ["2026-10-24", "2027-01-17"])
        }
    }

    private static func store(_ url: String, max: Int) async throws -> EventStore {
        let connection = try await PostgresConnection(url: url, applicationName: "test-guard")
        return try await EventStore(
            connection: connection,
            topic: "events",
            limits: StoreLimits(contextsPerDayMax: max)
        )
    }

    private static func flood(_ store: EventStore, _ app: TestApp, from: Int) async throws {
        for start in stride(from: from, to: from + 2_500, by: 250) {
            try await store.addRetrying((start..<(start + 250)).map { message(app, model: $0) })
        }
    }

    /// Received at once; the client's own clock tells the messages apart.
    private static func message(
        _ app: TestApp,
        model: Int,
        at ms: Int64 = noon,
        _ change: (inout EventMessage) -> Void = { _ in }
    ) -> EventMessage {
        let event = EventMessage.Event.start(at: ms) { $0.clientTimeMs = ms + Int64(model) }
        return EventMessage.valid(app: app.id, install: .fixed(UInt64(model % 10)), [event]) {
            $0.contexts = [.valid { $0.deviceModel = "model \(model)" }]
            change(&$0)
        }
    }
}
