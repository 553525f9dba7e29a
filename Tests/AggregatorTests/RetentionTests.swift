import AggregatorCore
import Calendar
import Contracts
import Postgres
import TestSupport
import Testing

extension StoreBench {
    /// Expires what is older than 25 months at `date`, on a connection of its own.
    @discardableResult
    func expire(
        at date: String,
        hours: Double = 0,
        role: String? = nil,
        topicPartitions: @escaping RetentionRun.TopicPartitions = { _ in nil },
        shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> RetentionReport {
        try await withConnection(to: url) { own in
            if let role { try await own.script("SET ROLE \(role)") }
            return try await RetentionRun(
                connection: own,
                nowMs: utcMs(date, hours: hours),
                topicPartitions: topicPartitions
            ).run(shouldStop: shouldStop)
        }
    }

    func plan(at date: String) async throws -> RetentionReport {
        try await withConnection(to: url) {
            try await RetentionRun(connection: $0, nowMs: utcMs(date)).plan()
        }
    }

    func partitions() async throws -> [String] {
        try await connection.texts(
            "SELECT relname::text FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1 LIMIT 100"
        )
    }

    /// The totals of whole days: day, people, installs, sessions.
    func frozenDays() async throws -> [String] {
        try await connection.texts(
            """
            SELECT concat_ws(' ', day, active_persons, active_installs, sessions) FROM day_totals
            WHERE app_no = \(app.number) AND dimension = '' ORDER BY day LIMIT 1000
            """
        )
    }
}

/// What goes after 25 months, and what stays.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct RetentionTests {
    @Test func aMonthGoesWhenItsEndIs25MonthsOldAndNotAMillisecondEarlier() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2022-04-30", hours: 24) - 1, durationMs: 0)
            try await bench.addSession(at: utcMs("2022-05-01"), durationMs: 0)
            try await bench.closeAll()
            try await bench.expire(at: "2024-05-31", hours: 23.99)
            let before = try await bench.partitions()
            #expect(before == ["events_2022_04", "events_2022_05"])
            try await bench.expire(at: "2024-06-01")
            let after = try await bench.partitions()
            #expect(after == ["events_2022_05"])
            let left = try await bench.connection.texts(
                "SELECT day::text FROM closed_days ORDER BY 1 LIMIT 10"
            )
            #expect(left == ["2022-05-01"])
            let frozen = try await bench.frozenDays()
            #expect(frozen == ["2022-04-30 1 1 1"])
        }
    }

    @Test func daysThatWaitAreClosedBeforeTheyAreFrozen() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2022-04-10"))
            try await bench.closeAll()
            try await bench.addSession(at: utcMs("2022-04-10", hours: 5))
            try await bench.addSession(at: utcMs("2022-04-12"))
            try await bench.expire(at: "2024-06-01")
            let frozen = try await bench.frozenDays()
            #expect(frozen == ["2022-04-10 2 2 2", "2022-04-12 1 1 1"])
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
        }
    }

    /// In Honolulu 30 April lasts until 10:00 UTC of 1 May.
    @Test func aLocalDayThatTouchesADroppedMonthIsFrozenAsAWhole() async throws {
        try await withStore(timezone: "Pacific/Honolulu") { bench in
            for hours in [-2, 5, 9.99, 10] as [Double] {
                try await bench.addSession(at: utcMs("2022-05-01", hours: hours), durationMs: 0)
            }
            try await bench.expire(at: "2024-06-01")
            let frozen = try await bench.frozenDays()
            #expect(frozen == ["2022-04-30 3 3 3"])
            try await bench.closeAll()
            let left = try await bench.connection.texts(
                "SELECT day::text FROM closed_days ORDER BY 1 LIMIT 10"
            )
            #expect(left == ["2022-05-01"])
        }
    }

    @Test func anEventOfAFrozenDayIsNotStoredThoughItsMonthIsKept() async throws {
        try await withStore(timezone: "Pacific/Honolulu") { bench in
            try await bench.expire(at: "2024-06-01")
            let events = [5, 9.99, 10].map { EventMessage.Event.start(at: utcMs("2022-05-01", hours: $0)) }
            let outcome = try await bench.store.add(.valid(app: bench.app.id, events))
            #expect(outcome.expired == 2)
            #expect(outcome.new == 1)
        }
    }

    @Test func aReplayRevivesNothingAndMakesNoPartition() async throws {
        try await withStore { bench in
            let message = EventMessage.valid(
                app: bench.app.id,
                install: .fixed(1),
                [.start(at: utcMs("2022-04-10"), user: "42")]
            )
            try await bench.store.add(message)
            try await bench.expire(at: "2024-06-01")
            let outcome = try await bench.store.add(message)
            #expect(outcome == StoreOutcome(expired: 1))
            let facts = try await StoredFacts.of(bench.app, bench.connection)
            #expect(facts == StoredFacts(events: [], installs: [], users: [], userInstalls: [], days: []))
            let partitions = try await bench.partitions()
            #expect(partitions.isEmpty)
        }
    }

    @Test func aFrozenDayIsNeverBuiltAgain() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2022-04-10"))
            try await bench.expire(at: "2024-06-01")
            for cause in DayCause.allCases { try await bench.mark("2022-04-10", cause: cause) }
            try await bench.closeAll()
            let closed = try await bench.closed("2022-04-10")
            #expect(closed == nil)
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
            try await bench.mark("2022-04-10", cause: .zone)
            try await bench.expire(at: "2024-06-02")
            let frozen = try await bench.frozenDays()
            #expect(frozen == ["2022-04-10 1 1 1"])
        }
    }

    @Test func whoIsStillActiveKeepsTheDateTheyWereFirstSeen() async throws {
        try await withStore { bench in
            for date in ["2022-04-10", "2023-04-10"] {
                let event = EventMessage.Event.start(at: utcMs(date), user: "42")
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [event]))
            }
            try await bench.expire(at: "2024-06-01")
            let first = try await bench.connection.texts(
                """
                SELECT first_at::date::text FROM installs UNION ALL SELECT first_at::date::text FROM users
                UNION ALL SELECT owner_at::date::text FROM installs LIMIT 10
                """
            )
            #expect(first == ["2022-04-10", "2022-04-10", "2022-04-10"])
        }
    }

    @Test func whoWasSilentFor25MonthsIsGoneAndComesBackAsSomebodyNew() async throws {
        try await withStore { bench in
            let event = { EventMessage.Event.start(at: utcMs($0), user: "42") }
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [event("2022-04-28")]))
            let report = try await bench.expire(at: "2024-06-01")
            #expect(report.installs.rows == 1 && report.users.rows == 1 && report.userInstalls.rows == 1)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [event("2024-06-01")]))
            let found = try await bench.connection.texts(
                "SELECT install_no || ' ' || first_at::date FROM installs LIMIT 10"
            )
            #expect(found == ["2 2024-06-01"])
        }
    }

    /// The row of its session in the kept day names the install and user of the start.
    @Test func whoseSessionReachesIntoAKeptDayIsKept() async throws {
        try await withStore { bench in
            let (session, midnight) = (UUID128.random(), utcMs("2022-05-01"))
            let start = EventMessage.Event.start(at: midnight - 20 * Span.hourMs, session: session)
            let end = EventMessage.Event.end(at: midnight + Span.hourMs, session: session)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [start]))
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(2), [end]))
            try await bench.expire(at: "2024-06-01")
            let early = try await bench.connection.number("SELECT count(*) FROM installs")
            #expect(early == 2)
            try await bench.expire(at: "2024-07-01")
            let late = try await bench.connection.number("SELECT count(*) FROM installs")
            #expect(late == 0)
        }
    }

    /// The install's anonymous events are its owner's, however long ago the owner signed in.
    @Test func anOwnerStaysAsLongAsTheirInstallIsActive() async throws {
        try await withStore { bench in
            let signIn = EventMessage.Event.start(at: utcMs("2022-04-10"), user: "42")
            let anonymous = EventMessage.Event.start(at: utcMs("2024-01-10"))
            for event in [signIn, anonymous] {
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [event]))
            }
            try await bench.expire(at: "2024-06-01")
            let owners = try await bench.connection.texts(
                """
                SELECT u.user_id FROM installs i JOIN users u ON u.user_no = i.owner_no
                JOIN user_installs USING (user_no, install_no) LIMIT 10
                """
            )
            #expect(owners == ["42"])
            try await bench.expire(at: "2026-11-01")
            let left = try await bench.connection.number(
                "SELECT (SELECT count(*) FROM installs) + (SELECT count(*) FROM users) + (SELECT count(*) FROM user_installs)"
            )
            #expect(left == 0)
        }
    }

    @Test func aPlanChangesNothingAndSaysWhatTheRunDoes() async throws {
        try await withStore { bench in
            for (day, user) in [("2022-03-10", "1"), ("2022-04-10", "2"), ("2022-05-10", "2")] {
                try await bench.addSession(at: utcMs(day), user: user)
            }
            try await bench.closeAll()
            let facts = try await StoredFacts.of(bench.app, bench.connection)
            let plan = try await bench.plan(at: "2024-06-01")
            let after = try await StoredFacts.of(bench.app, bench.connection)
            #expect(after == facts)
            let partitions = try await bench.partitions()
            #expect(partitions.count == 3)
            #expect(plan.events.partitions == ["events_2022_03", "events_2022_04"] && plan.events.rows == 4)
            let report = try await bench.expire(at: "2024-06-01")
            #expect(report.events == plan.events)
            #expect(report.closedDays == plan.closedDays && report.closedDays.days == 2)
            #expect(report.installs == plan.installs && report.installs.rows == 2)
            #expect(report.users == plan.users && report.users.rows == 1)
        }
    }

    @Test func aRunThatWasStoppedIsFinishedByTheNext() async throws {
        try await withStore { bench in
            for day in 1...9 { try await bench.addSession(at: utcMs("2022-04-0\(day)")) }
            try await bench.closeAll()
            for stops in 1...12 {
                let stop = StopAfter(stops)
                try await bench.expire(at: "2024-06-01", shouldStop: { stop.isReached })
            }
            try await bench.expire(at: "2024-06-01")
            let frozen = try await bench.frozenDays()
            #expect(frozen == (1...9).map { "2022-04-0\($0) 1 1 1" })
            let partitions = try await bench.partitions()
            #expect(partitions.isEmpty)
        }
    }

    @Test func theHorizonNeverMovesBack() async throws {
        try await withStore { bench in
            try await bench.expire(at: "2024-06-01")
            let report = try await bench.expire(at: "2023-06-01")
            #expect(report.keptFrom == "2022-05-01")
        }
    }

    @Test func theRoleOfTheAggregatorIsEnough() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2022-04-10"), user: "42")
            let report = try await bench.expire(at: "2024-06-01", role: "foreground_aggregator")
            #expect(report.events.partitions.count == 1 && report.installs.rows == 1)
            let frozen = try await bench.frozenDays()
            #expect(frozen == ["2022-04-10 1 1 1"])
        }
    }

    @Test func whileAppsAreMergedNothingExpires() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2022-04-10"))
            try await bench.connection.execute(
                """
                INSERT INTO app_merges (source_app_id, source_app_no, target_app_no)
                VALUES (gen_random_uuid(), 999, \(bench.app.number))
                """
            )
            let report = try await bench.expire(at: "2024-06-01")
            #expect(report.isPostponed)
            let partitions = try await bench.partitions()
            #expect(partitions == ["events_2022_04"])
        }
    }

    @Test func offsetsOfWhatIsGoneAreForgottenAfter60Days() async throws {
        try await withStore { bench in
            try await bench.connection.script(
                """
                INSERT INTO consumer_offsets (topic, partition, next_offset, updated_at) VALUES
                    ('old', 0, 1, '2024-03-01'), ('old', 1, 1, '2024-05-01'), ('quiet', 0, 1, '2024-03-01'),
                    ('quiet', 7, 1, '2024-03-01'), ('unsure', 0, 1, '2024-03-01')
                """
            )
            let existing: [String: Set<Int32>] = ["old": [], "quiet": [0]]
            try await bench.expire(at: "2024-06-01", topicPartitions: { existing[$0] })
            let left = try await bench.connection.texts(
                "SELECT topic || ' ' || partition FROM consumer_offsets ORDER BY 1 LIMIT 10"
            )
            #expect(left == ["old 1", "quiet 0", "unsure 0"])
        }
    }
}
