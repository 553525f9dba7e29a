import Contracts
import TestSupport
import Testing

@testable import ReaderCore

/// A whole session: its start, and its end when it has one.
func session(
    _ startMs: Int64,
    _ durationMs: Int64? = 60_000,
    user: String? = nil,
    endUser: String?? = nil
) -> [EventMessage.Event] {
    let id = UUID128.random()
    var events = [EventMessage.Event.start(at: startMs, session: id, user: user)]
    if let durationMs {
        events.append(
            .end(at: startMs + durationMs, session: id, durationMs: durationMs, user: endUser ?? user)
        )
    }
    return events
}

@Suite(.serialized, .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct SummaryEndpointTests {
    private func figures(
        _ range: (String, String),
        active: Int = 0,
        new: Int = 0,
        sessions: Int = 0,
        average: Int? = nil,
        median: Int? = nil
    ) -> SummaryAnswer.Figures {
        SummaryAnswer.Figures(
            from: range.0,
            to: range.1,
            active: active,
            new: new,
            sessions: sessions,
            avgDurationMs: average,
            medianDurationMs: median
        )
    }

    @Test func figuresOfAWeekAndOfTheWeekBefore() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, install: 1, session(utcMs("2026-10-05", hours: 9), 1_000))
            try await world.send(app, install: 1, session(utcMs("2026-10-06", hours: 9), 1_000))
            try await world.send(app, install: 2, session(utcMs("2026-10-08", hours: 9), 2_000))
            try await world.send(app, install: 2, session(utcMs("2026-10-12", hours: 23.99), nil))
            try await world.send(app, install: 3, session(utcMs("2026-10-13"), 5_000))
            try await world.close()
            let answer = try await world.summary(app, "from=2026-10-06&to=2026-10-12")
            #expect(
                answer.figures
                    == figures(
                        ("2026-10-06", "2026-10-12"),
                        active: 2,
                        new: 1,
                        sessions: 3,
                        average: 1_500,
                        median: 1_500
                    )
            )
            #expect(
                answer.compare
                    == figures(
                        ("2026-09-29", "2026-10-05"),
                        active: 1,
                        new: 1,
                        sessions: 1,
                        average: 1_000,
                        median: 1_000
                    )
            )
        }
    }

    @Test func rangeBeforeTheAppExistedAndInTheFutureIsZeros() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for range in [
                ("2019-01-01", "2019-01-31"), ("2055-01-01", "2055-12-31"), ("9999-01-01", "9999-12-31"),
            ] {
                let answer = try await world.summary(app, "from=\(range.0)&to=\(range.1)")
                #expect(answer.figures == figures(range))
            }
        }
    }

    /// B08: the day before a clock change has 23 or 25 hours, and exactly its own sessions.
    @Test func previousPeriodIsTheLocalDayBefore() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: "America/New_York")
            // 23:30 on the 7th; on the 8th, which has 23 hours; the day's last minute, when the 9th is yet to come.
            try await world.send(app, install: 1, session(utcMs("2026-03-08", hours: 4.5)))
            try await world.send(app, install: 2, session(utcMs("2026-03-08", hours: 12)))
            try await world.send(app, install: 3, session(utcMs("2026-03-09", hours: 4.01)))
            // 1 November has 25 hours: its first and its last half hour.
            try await world.send(app, install: 4, session(utcMs("2026-11-01", hours: 4.1)))
            try await world.send(app, install: 5, session(utcMs("2026-11-02", hours: 4.9)))
            try await world.send(app, install: 6, session(utcMs("2026-11-02", hours: 5)))
            try await world.close()
            let spring = try await world.summary(app, "from=2026-03-09&to=2026-03-09")
            #expect(spring.compare?.from == "2026-03-08")
            #expect(spring.compare?.sessions == 1)
            #expect(spring.figures.sessions == 1)
            let autumn = try await world.summary(app, "from=2026-11-02&to=2026-11-02")
            #expect(autumn.compare?.to == "2026-11-01")
            #expect(autumn.compare?.sessions == 2)
            #expect(autumn.figures.sessions == 1)
        }
    }

    /// B21: session and duration on the day of the start only, the person on both.
    @Test func sessionOverMidnight() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection, timezone: "Europe/Berlin")
            // 31 August, 23:50, until 00:10.
            try await world.send(app, session(utcMs("2026-08-31", hours: 21 + 5.0 / 6), 1_200_000))
            try await world.close()
            let both = try await world.summary(app, "from=2026-09-01&to=2026-09-01")
            #expect(both.figures == figures(("2026-09-01", "2026-09-01"), active: 1))
            #expect(
                both.compare
                    == figures(
                        ("2026-08-31", "2026-08-31"),
                        active: 1,
                        new: 1,
                        sessions: 1,
                        average: 1_200_000,
                        median: 1_200_000
                    )
            )
            #expect(
                try await world.summary(app, "from=2026-08-31&to=2026-09-01").figures
                    == figures(
                        ("2026-08-31", "2026-09-01"),
                        active: 1,
                        new: 1,
                        sessions: 1,
                        average: 1_200_000,
                        median: 1_200_000
                    )
            )
        }
    }

    @Test func endWithoutAStartIsActivityOnly() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, [.end(at: utcMs("2026-10-01", hours: 12))])
            try await world.close()
            let answer = try await world.summary(app, "from=2026-10-01&to=2026-10-01")
            #expect(answer.figures == figures(("2026-10-01", "2026-10-01"), active: 1, new: 1))
        }
    }

    @Test func sessionWithoutAnEndStaysOutOfTheAverages() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            for durationMs in [1, 2, 3, 10, nil, 0] as [Int64?] {
                try await world.send(app, session(utcMs("2026-10-01", hours: 12), durationMs))
            }
            try await world.close()
            let answer = try await world.summary(app, "from=2026-10-01&to=2026-10-01")
            // 16 / 5 = 3.2; the middle of 0, 1, 2, 3, 10.
            #expect(answer.figures.sessions == 6)
            #expect(answer.figures.avgDurationMs == 3)
            #expect(answer.figures.medianDurationMs == 2)
        }
    }

    // MARK: people

    /// B12: a sign-in after the fact, then a late event, both move earlier days.
    @Test func lateFactsMoveEarlierDays() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, install: 1, session(utcMs("2026-10-09", hours: 10)))
            try await world.send(app, install: 2, session(utcMs("2026-10-10", hours: 10), user: "42"))
            try await world.send(app, install: 1, session(utcMs("2026-10-10", hours: 18), user: "42"))
            try await world.close()
            let signedIn = try await world.summary(app, "from=2026-10-10&to=2026-10-10")
            #expect((signedIn.figures.active, signedIn.figures.new) == (1, 0))
            #expect((signedIn.compare?.active, signedIn.compare?.new) == (1, 1))

            try await world.send(app, install: 2, session(utcMs("2026-10-05", hours: 10), user: "42"))
            try await world.close()
            let series = try await world.series(app, "from=2026-10-05&to=2026-10-10&metric=new&compare=none")
            #expect(series.points.map(\.value) == [1, 0, 0, 0, 0, 0])
            #expect(try await world.summary(app, "from=2026-10-05&to=2026-10-10").figures.active == 1)
        }
    }

    /// B15: all anonymous sessions belong to the first owner, whoever signed out before them.
    @Test func twoAccountsOnOneDevice() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let users: [String?] = [nil, "101", nil, "202", nil]
            for (hour, user) in users.enumerated() {
                try await world.send(app, session(utcMs("2026-10-0\(hour + 1)", hours: 12), user: user))
            }
            try await world.close()
            let persons = try await world.summary(app, "from=2026-10-01&to=2026-10-05").figures
            #expect((persons.active, persons.new, persons.sessions) == (2, 2, 5))
            let installs = try await world.summary(app, "from=2026-10-01&to=2026-10-05&unit=installs").figures
            #expect((installs.active, installs.new, installs.sessions) == (1, 1, 5))
            // Anonymous again after 202 signed out: that is 101, who is not new.
            let last = try await world.summary(app, "from=2026-10-05&to=2026-10-05").figures
            #expect((last.active, last.new) == (1, 0))
            let withBoth = try await world.summary(app, "from=2026-10-04&to=2026-10-05").figures
            #expect((withBoth.active, withBoth.new) == (2, 1))
        }
    }

    @Test func sessionThatStartsAnonymousAndEndsSignedInIsOnePersons() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            try await world.send(app, session(utcMs("2026-10-01", hours: 12), endUser: "42"))
            try await world.close()
            let answer = try await world.summary(app, "from=2026-10-01&to=2026-10-01").figures
            #expect((answer.active, answer.new, answer.sessions) == (1, 1, 1))
        }
    }

    @Test func personOnTwoPlatformsIsOneOfAllAndOneOfEach() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let android = EventContext.valid { $0.platform = .android }
            try await world.send(app, install: 1, session(utcMs("2026-10-01", hours: 9), user: "42"))
            try await world.send(
                app,
                install: 2,
                context: android,
                session(utcMs("2026-10-01", hours: 10), user: "42")
            )
            try await world.close()
            let range = "from=2026-10-01&to=2026-10-01"
            let all = try await world.summary(app, range).figures
            #expect((all.active, all.new, all.sessions) == (1, 1, 2))
            let ios = try await world.summary(app, range + "&platform=ios").figures
            #expect((ios.active, ios.new, ios.sessions) == (1, 1, 1))
            // Their first event was on iOS.
            let android1 = try await world.summary(app, range + "&platform=android").figures
            #expect((android1.active, android1.new, android1.sessions) == (1, 0, 1))
            let both = try await world.summary(app, range + "&platform=android&platform=ios").figures
            #expect((both.active, both.new, both.sessions) == (1, 1, 2))
            #expect(try await world.summary(app, range + "&unit=installs").figures.active == 2)
        }
    }

    @Test func environmentsKnowNothingOfEachOther() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let test = EventContext.valid { $0.environment = .development }
            // In development the install is 42's, and older.
            try await world.send(app, context: test, session(utcMs("2026-10-01", hours: 9), user: "42"))
            try await world.send(app, session(utcMs("2026-10-02", hours: 9)))
            try await world.close()
            let range = "from=2026-10-01&to=2026-10-02&compare=none&metric=new"
            #expect(try await world.series(app, range).points.map(\.value) == [0, 1])
            #expect(
                try await world.series(app, range + "&environment=production").points.map(\.value) == [0, 1]
            )
            #expect(
                try await world.series(app, range + "&environment=development").points.map(\.value) == [1, 0]
            )
        }
    }

    @Test func appsKnowNothingOfEachOther() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let other = try await TestApp.make(world.connection)
            try await world.send(app, session(utcMs("2026-10-01", hours: 9)))
            try await world.close()
            #expect(try await world.summary(app, "from=2026-10-01&to=2026-10-01").figures.active == 1)
            #expect(try await world.summary(other, "from=2026-10-01&to=2026-10-01").figures.active == 0)
        }
    }

    // MARK: filters

    /// B45: a comma, a percent sign or an underscore is a character like any other.
    @Test func filterValueIsComparedAsAWhole() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let values = [
                "iPhone14,5", "EU - A | B", "100%", "a_b", "axb", "O'Neil \"x\" \\", "A&B=C", "ＦＵＬＬ", "x ",
            ]
            for (index, value) in values.enumerated() {
                let context = EventContext.valid { $0.osName = value }
                try await world.send(
                    app,
                    install: UInt64(index + 1),
                    context: context,
                    session(utcMs("2026-10-01", hours: 9))
                )
            }
            try await world.close()
            for value in values {
                let encoded = value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                let query = "from=2026-10-01&to=2026-10-01&os_name=" + encoded
                #expect(try await world.summary(app, query).figures.sessions == 1, "\(value)")
            }
            for value in ["iPhone14", "5", "iPhone14,5,x", "%25", "a", "full", "X%20"] {
                let query = "from=2026-10-01&to=2026-10-01&os_name=" + value
                #expect(try await world.summary(app, query).figures.sessions == 0, "\(value)")
            }
        }
    }

    @Test func emptyFilterValueSelectsWhatHasNone() async throws {
        try await withReader { world in
            let app = try await TestApp.make(world.connection)
            let bare = EventContext(environment: .production, platform: .server)
            try await world.send(app, install: 1, context: bare, session(utcMs("2026-10-01", hours: 9)))
            try await world.send(app, install: 2, session(utcMs("2026-10-01", hours: 9)))
            try await world.close()
            let range = "from=2026-10-01&to=2026-10-01"
            #expect(try await world.summary(app, range + "&app_version=").figures.active == 1)
            #expect(try await world.summary(app, range + "&app_version=&app_version=1.0").figures.active == 2)
            #expect(try await world.summary(app, range + "&app_version=&os_name=iOS").figures.active == 0)
        }
    }
}
