import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Goal: a merged app is what it would be had all events been its own from the first.
///
/// Method: two seeded worlds over the same installs, accounts and, in part, insert ids; one goes to the source, one to the target, a part of both
/// while the merge runs in small chunks that are stopped everywhere. A third app gets everything at once. In the end all is replayed.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(10)))
struct MergeTests {
    @Test(arguments: UInt64(1)...6)
    func aMergedAppEqualsAFreshImport(seed: UInt64) async throws {
        let zone = ClosingOracleTests.zones[Int(seed) % ClosingOracleTests.zones.count]
        try await withStore(timezone: zone) { bench in
            var random = SplitMix64(seed: seed)
            let source = try await TestApp.make(bench.connection, timezone: "Asia/Tokyo")
            let fresh = try await TestApp.make(bench.connection, timezone: zone)
            let worlds = try Worlds(seed: seed, zone: zone, target: bench.app, source: source, using: &random)
            for message in worlds.target.early + worlds.source.early { try await bench.store.add([message]) }
            if Bool.random(using: &random) { try await bench.closeAll() }

            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
            let chunk = Int.random(in: 3...40, using: &random)
            async let moved: Void = bench.carryOnInterrupted(chunk: chunk)
            for message in (worlds.target.late + worlds.source.late).shuffled(using: &random) {
                try await bench.store.addRetrying([message])
                if Int.random(in: 0..<12, using: &random) == 0 { try await bench.closeAll() }
            }
            try await moved

            try await bench.store.add(worlds.all.map { $0.of(fresh) })
            let expected = try await StoredFacts.of(fresh, bench.connection)
            try await bench.closeAll()
            let places = try await bench.places(of: source)
            #expect(places.isEmpty)
            try await expectDaysEqualOracle(bench, zone: zone)
            try await expectSame(expected, bench, "merged")
            for message in worlds.all.shuffled(using: &random) {
                let outcome = try await bench.store.add([message])
                #expect(outcome.new == 0 && outcome.setAside.isEmpty)
            }
            try await expectSame(expected, bench, "replayed")
            let faults = try await bench.connection.numberingFaults()
            #expect(faults.isEmpty)
        }
    }

    /// Marks are left out: which days were closed in between is chance.
    private func expectSame(_ expected: StoredFacts, _ bench: StoreBench, _ when: String) async throws {
        var (found, expected) = (try await StoredFacts.of(bench.app, bench.connection), expected)
        (found.days, expected.days) = ([], [])
        #expect(found == expected, "\(when)")
        #expect(found.events.count > 100)
    }

    private struct Worlds {
        struct Share {
            var early: [EventMessage]
            var late: [EventMessage]
        }

        var source: Share
        var target: Share

        init(
            seed: UInt64,
            zone: String,
            target: TestApp,
            source: TestApp,
            using random: inout SplitMix64
        ) throws {
            let own = try StoredWorld(seed: seed, zone: zone, app: target, sessions: 40).messages
            var other = try StoredWorld(seed: seed + 1_000, zone: zone, app: source, sessions: 40).messages
            self.target = Share(early: Array(own[..<(own.count / 2)]), late: Array(own[(own.count / 2)...]))
            // An insert id that the target has already stays the target's, whatever the source says about it.
            for index in 0..<6 {
                let ids = self.target.early.flatMap(\.events).map(\.insertID)
                other[index].events[0].insertID = ids.randomElement(using: &random) ?? .zero
            }
            self.source = Share(
                early: Array(other[..<(other.count / 2)]),
                late: Array(other[(other.count / 2)...])
            )
        }

        /// In an order that lets the target's copies be the first.
        var all: [EventMessage] { target.early + source.early + target.late + source.late }
    }

    @Test func peopleWithOneAccountBecomeOne() async throws {
        try await withPair { bench, source in
            let day = utcMs("2026-10-14", hours: 12)
            let start = { (hours: Double) in
                EventMessage.Event.start(at: day + Int64(hours) * Span.hourMs, user: "42")
            }
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [start(2)]))
            try await bench.store.add(.valid(app: source.id, install: .fixed(2), [start(1)]))
            try await merge(source, bench)
            let users = try await bench.connection.texts(
                """
                SELECT u.user_id || ' ' || extract(hour FROM u.first_at) || ' ' || count(*)
                FROM users u JOIN user_installs USING (app_no, environment, user_no)
                GROUP BY u.user_id, u.first_at ORDER BY 1 LIMIT 10
                """
            )
            #expect(users == ["42 13 2"])
        }
    }

    @Test func daysSayThatAMergeChangedThem() async throws {
        try await withPair { bench, source in
            try await bench.store.add(.valid(app: source.id))
            try await merge(source, bench)
            try await bench.closeAll()
            let closed = try await bench.closed("2026-10-14")
            #expect(closed?.cause == "merge")
        }
    }

    @Test func contextsThatOnlyOldEventsHadMoveToo() async throws {
        try await withPair { bench, source in
            let context = EventContext.valid {
                $0.country = "NZ"
                $0.city = "Nelson"
                $0.deviceType = .tv
                $0.locale = "mi"
            }
            let message = EventMessage.valid(app: source.id) { $0.contexts = [context] }
            try await bench.store.add(message)
            try await merge(source, bench)
            let outcome = try await bench.store.add(message)
            #expect(outcome.new == 0)
            let contexts = try await bench.connection.texts(
                "SELECT concat_ws(' ', app_no = \(bench.app.number), country, city, device_type, locale) FROM contexts LIMIT 10"
            )
            #expect(contexts == ["t NZ Nelson tv mi"])
        }
    }

    @Test func whatWasFirstSeenBeforeTheHorizonIsCarriedOver() async throws {
        try await withPair { bench, source in
            let old = EventMessage.Event.start(at: utcMs("2022-04-10"))
            let signIn = EventMessage.Event.start(at: utcMs("2022-04-11"), user: "42")
            let recent = EventMessage.Event.start(at: utcMs("2024-04-12"))
            for event in [old, signIn, recent] {
                try await bench.store.add(.valid(app: source.id, install: .fixed(1), [event]))
            }
            try await bench.expire(at: "2024-06-01")
            try await merge(source, bench)
            let facts = try await bench.connection.texts(
                """
                SELECT concat_ws(' ', i.first_at::date, i.anonymous_first_at::date, i.owner_at::date, u.user_id, u.first_at::date,
                                 (SELECT count(*) FROM user_installs), c.app_no = i.app_no)
                FROM installs i JOIN users u ON u.user_no = i.owner_no JOIN contexts c ON c.context_no = i.first_context_no
                WHERE i.app_no = \(bench.app.number) LIMIT 10
                """
            )
            #expect(facts == ["2022-04-10 2022-04-10 2022-04-11 42 2022-04-11 1 t"])
        }
    }

    @Test func frozenDaysAreAddedAsFarAsTheyCanBe() async throws {
        try await withPair { bench, source in
            for app in [bench.app, source] {
                try await bench.store.add(.valid(app: app.id, [.start(at: utcMs("2022-04-10"))]))
            }
            try await bench.store.add(.valid(app: source.id, [.start(at: utcMs("2022-04-11"))]))
            try await bench.expire(at: "2024-06-01")
            try await merge(source, bench)
            let totals = try await bench.connection.texts(
                """
                SELECT concat_ws(' ', day, coalesce(active_persons::text, '?'), coalesce(new_installs::text, '?'), sessions)
                FROM day_totals WHERE app_no = \(bench.app.number) AND dimension = 'platform' ORDER BY 1 LIMIT 10
                """
            )
            #expect(totals == ["2022-04-10 ? ? 2", "2022-04-11 1 1 1"])
        }
    }

    /// 1 May began in Tokyo before the horizon and is frozen there; in the target's zone it is kept, and must stay a day that can be built.
    @Test func aFrozenDayThatTheTargetKeepsGivesWay() async throws {
        try await withStore { bench in
            let source = try await TestApp.make(bench.connection, timezone: "Asia/Tokyo")
            for ms in [utcMs("2022-04-30", hours: 20), utcMs("2022-05-01", hours: 5)] {
                try await bench.store.add(.valid(app: source.id, [.start(at: ms)]))
            }
            try await bench.expire(at: "2024-06-01")
            try await merge(source, bench)
            try await bench.closeAll()
            let closed = try await bench.closed("2022-05-01")
            #expect(closed?.sessions == 1)
            let frozen = try await bench.frozenDays()
            #expect(frozen.isEmpty)
        }
    }

    @Test func theRoleOfTheAggregatorIsEnough() async throws {
        try await withPair { bench, source in
            try await bench.store.add(.valid(app: source.id, [.start(user: "42")]))
            try await bench.connection.execute(
                "INSERT INTO day_totals SELECT app_no, 0, '2020-01-01', '', NULL, 1, 1, 1, 1, 1, 1, 1, 'UTC', now(), now() FROM apps"
            )
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
            let summary = try await bench.carryOn(role: "foreground_aggregator")
            #expect(summary.done == 1 && summary.eventsMoved == 1)
            let places = try await bench.places(of: source)
            #expect(places.isEmpty)
        }
    }

    @Test func progressIsTold() async throws {
        try await withPair { bench, source in
            let twice = EventMessage.valid(app: source.id, [.start(), .start()])
            try await bench.store.add(twice)
            try await bench.store.add(.valid(app: bench.app.id, [twice.events[0]]))
            try await merge(source, bench)
            let progress = try await AppChanges.merge(of: source.id, bench.connection)
            #expect(progress?.isDone == true && progress?.count == 2 && progress?.dropped == 1)
            #expect(progress?.error == nil)
        }
    }

    private func merge(_ source: TestApp, _ bench: StoreBench) async throws {
        try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
        let summary = try await bench.carryOn()
        #expect(summary.done == 1 && summary.failed == 0)
    }

    private func withPair(_ body: (StoreBench, TestApp) async throws -> Void) async throws {
        try await withStore { bench in
            try await body(bench, try await TestApp.make(bench.connection))
        }
    }
}
