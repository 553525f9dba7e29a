import AggregatorCore
import Calendar
import Contracts
import Postgres
import TestSupport
import Testing
import Wire

/// Sessions over midnight, and days that are not 24 hours of UTC.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct ClosingMidnightTests {
    /// B21: the session and its duration on the first day, its person on both.
    @Test func aSessionOverMidnightCountsOnceAndIsActiveOnBothDays() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2026-10-14", hours: 23.75), durationMs: 1_800_000)
            try await bench.closeAll()
            let first = try #require(try await bench.closed("2026-10-14"))
            let second = try #require(try await bench.closed("2026-10-15"))
            #expect([first.sessions, first.sessionsEnded, Int(first.durationMsSum)] == [1, 1, 1_800_000])
            #expect([second.sessions, second.sessionsEnded, Int(second.durationMsSum)] == [0, 0, 0])
            #expect(second.block.install == first.block.install)
        }
    }

    @Test func aLateEndAfterMidnightMarksTheDayOfItsStart() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            let start = EventMessage.Event.start(at: utcMs("2026-10-14", hours: 23.5), session: session)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [start]))
            try await bench.closeAll()
            let before = try await bench.closed("2026-10-14")
            #expect(before?.sessionsEnded == 0)

            let end = EventMessage.Event.end(
                at: utcMs("2026-10-15", hours: 0.5),
                session: session,
                durationMs: 3_600_000
            )
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [end]))
            let marks = try await bench.marks()
            #expect(marks == ["2026-10-15 events"])
            let key = bench.key("2026-10-15")
            _ = try await withConnection(to: bench.url) { try await DayCloser(connection: $0).close(key) }
            let neighbours = try await bench.marks()
            #expect(neighbours == ["2026-10-14 neighbour"])

            try await bench.closeAll()
            let after = try #require(try await bench.closed("2026-10-14"))
            #expect(after.cause == "neighbour")
            #expect([after.revision, after.sessionsEnded, Int(after.durationMsSum)] == [2, 1, 3_600_000])
        }
    }

    @Test func aStartThatComesLastMarksTheDayOfItsEnd() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            let end = EventMessage.Event.end(at: utcMs("2026-10-15", hours: 0.5), session: session, user: "b")
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [end]))
            try await bench.closeAll()
            let start = EventMessage.Event.start(
                at: utcMs("2026-10-14", hours: 23.5),
                session: session,
                user: "a"
            )
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [start]))
            try await bench.closeAll()
            // Both accounts were active on the day of the end now.
            let second = try #require(try await bench.closed("2026-10-15"))
            #expect(second.revision == 2)
            #expect(Set(second.block.user) == [1, 2])
        }
    }

    @Test func aQuietDayInTheMiddleOfASessionIsActive() async throws {
        try await withStore { bench in
            let start = utcMs("2026-10-14", hours: 23.75)
            try await bench.addSession(at: start, durationMs: 24 * Span.hourMs + Span.hourMs / 2)
            try await bench.closeAll()
            let middle = try #require(try await bench.closed("2026-10-15"))
            let last = try #require(try await bench.closed("2026-10-16"))
            #expect([middle.sessions, middle.block.count, last.block.count] == [0, 1, 1])
        }
    }

    @Test func aSessionOverTheEndOfAMonthAndAYear() async throws {
        try await withStore { bench in
            try await bench.addSession(at: utcMs("2027-01-01") - 60_000)
            try await bench.closeAll()
            let old = try await bench.closed("2026-12-31")
            let new = try await bench.closed("2027-01-01")
            #expect(old?.sessions == 1)
            #expect(new?.block.count == 1)
        }
    }

    @Test(
        arguments: [
            ("Europe/Berlin", "2026-03-29", 23), ("Europe/Berlin", "2026-10-25", 25),
            ("Asia/Kathmandu", "2026-06-01", 24), ("Pacific/Chatham", "2026-09-27", 23),
            ("Pacific/Chatham", "2026-04-05", 25), ("America/St_Johns", "2026-11-01", 25),
        ] as [(String, String, Int64)]
    )
    func theLastAndFirstInstantsOfALocalDay(zone: String, day: String, hours: Int64) async throws {
        try await withStore(timezone: zone) { bench in
            let bounds = try LocalZone(named: zone).bounds(of: bench.key(day).day)
            for ms in [bounds.lowerBound - 1, bounds.lowerBound, bounds.upperBound - 1, bounds.upperBound] {
                try await bench.store.add(.valid(app: bench.app.id, [.start(at: ms)]))
            }
            try await bench.closeAll()
            let closed = try #require(try await bench.closed(day))
            #expect(closed.sessions == 2)
            #expect(closed.endMs - closed.firstMs == hours * Span.hourMs)
            #expect(closed.block.fromMs.sorted() == [0, Int32(hours * Span.hourMs - 1)])
        }
    }

    @Test func theRowNamesTheRulesItWasCutBy() async throws {
        try await withStore(timezone: "Asia/Kathmandu") { bench in
            try await bench.addSession(at: utcMs("2026-06-01", hours: 18.25))
            try await bench.closeAll()
            let rules = try await bench.connection.texts(
                "SELECT day || ' ' || timezone || ' ' || tzdata_version FROM closed_days ORDER BY day LIMIT 10"
            )
            #expect(rules == ["2026-06-02 Asia/Kathmandu \(LocalZone.tzdataVersion)"])
        }
    }
}
