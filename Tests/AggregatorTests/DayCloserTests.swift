import AggregatorCore
import Calendar
import Contracts
import Postgres
import TestSupport
import Testing
import Wire

/// Closing on real tables, one closer at a time.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct DayCloserTests {
    private static let morning = utcMs("2026-10-14", hours: 9)

    @Test func aMarkedDayIsClosedWithItsTotals() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning, durationMs: 1_000)
            try await bench.addSession(at: Self.morning, durationMs: 2_500)
            try await bench.store.add(.valid(app: bench.app.id, [.start(at: Self.morning)]))
            let summary = try await bench.closeAll()
            #expect(summary.closed == 1)
            let day = try #require(try await bench.closed("2026-10-14"))
            #expect(day.revision == 1)
            #expect(day.cause == "events")
            #expect([day.sessions, day.sessionsEnded, Int(day.durationMsSum)] == [3, 2, 3_500])
            #expect(day.block.count == 3)
            #expect(day.firstMs..<day.endMs == utcMs("2026-10-14")..<utcMs("2026-10-15"))
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
        }
    }

    @Test func aDayWhoseFactsAreTheSameKeepsItsRevision() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.closeAll()
            let before = try await bench.closed("2026-10-14")
            try await bench.mark("2026-10-14", cause: .events)
            let summary = try await bench.closeAll()
            #expect(summary.unchanged == 1)
            #expect(summary.closed == 0)
            let after = try await bench.closed("2026-10-14")
            #expect(after == before)
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
        }
    }

    @Test func everyChangeIsARevision() async throws {
        try await withStore { bench in
            for expected in 1...3 {
                try await bench.addSession(at: Self.morning)
                try await bench.closeAll()
                let day = try await bench.closed("2026-10-14")
                #expect(day?.revision == expected)
                #expect(day?.sessions == expected)
            }
        }
    }

    @Test(arguments: [
        ([DayCause.events, .erasure], "erasure"), ([.neighbour, .events], "events"),
        ([.merge, .zone], "zone"), ([.neighbour], "neighbour"),
    ])
    func theLeadingCauseIsNamed(causes: [DayCause], name: String) async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.connection.script("DELETE FROM dirty_days")
            for cause in causes { try await bench.mark("2026-10-14", cause: cause) }
            try await bench.closeAll()
            let day = try await bench.closed("2026-10-14")
            #expect(day?.cause == name)
        }
    }

    /// Beside stores that mark today again and again a run would otherwise never end.
    @Test func whatIsMarkedAfterARunBeganIsLeftToTheNext() async throws {
        try await withStore { bench in
            try await bench.mark("2026-10-14", cause: .events)
            try await withConnection(to: bench.url) { connection in
                let closer = DayCloser(connection: connection)
                let lastMark = try await closer.lastMark()
                try await bench.mark("2026-10-15", cause: .events)
                try await bench.mark("2026-10-16", cause: .neighbour)
                let waiting = try await closer.waiting(through: lastMark, limit: 10)
                #expect(waiting == [bench.key("2026-10-14"), bench.key("2026-10-16")])
            }
        }
    }

    @Test func aDayWithoutAMarkIsGone() async throws {
        try await withStore { bench in
            let outcome = try await withConnection(to: bench.url) {
                try await DayCloser(connection: $0).close(bench.key("2026-10-14"))
            }
            #expect(outcome == .gone)
        }
    }

    @Test func aMarkedDayThatNeverHadEventsGetsNoRow() async throws {
        try await withStore { bench in
            try await bench.mark("2026-10-14", cause: .events)
            let summary = try await bench.closeAll()
            #expect(summary.unchanged == 1)
            let day = try await bench.closed("2026-10-14")
            #expect(day == nil)
        }
    }

    @Test func aDayThatBecomesEmptyGetsAnEmptyBlockWithANewRevision() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.closeAll()
            try await bench.connection.script("DELETE FROM events")
            try await bench.mark("2026-10-14", cause: .erasure)
            try await bench.closeAll()
            let day = try #require(try await bench.closed("2026-10-14"))
            #expect(day.revision == 2)
            #expect(day.cause == "erasure")
            #expect(day.block.count == 0)
            #expect([day.sessions, day.sessionsEnded, Int(day.durationMsSum)] == [0, 0, 0])
        }
    }

    @Test func theMarksOfADeletedAppAreDropped() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.connection.script(
                "ALTER TABLE dirty_days DROP CONSTRAINT dirty_days_app_no_fkey; DELETE FROM apps"
            )
            let summary = try await bench.closeAll()
            #expect(summary == ClosingSummary())
            let marks = try await bench.marks()
            #expect(marks.isEmpty)
        }
    }

    @Test func environmentsAreClosedApart() async throws {
        try await withStore { bench in
            try await bench.addSession(at: Self.morning)
            try await bench.store.add(
                .valid(app: bench.app.id, [.start(at: Self.morning), .start(at: Self.morning)]) {
                    $0.contexts = [.valid { $0.environment = .development }]
                }
            )
            try await bench.closeAll()
            let days = try await ClosedDay.all(bench.app.number, bench.connection)
            #expect(days[bench.key("2026-10-14")]?.sessions == 1)
            #expect(days[bench.key("2026-10-14", .development)]?.sessions == 2)
        }
    }

    @Test func appsAreClosedApartEvenWithOneSessionID() async throws {
        try await withStore { bench in
            let other = try await TestApp.make(bench.connection)
            let session = UUID128.random()
            try await bench.store.add(
                .valid(app: bench.app.id, [.start(at: Self.morning, session: session)]),
                .valid(app: other.id, [.end(at: Self.morning, session: session)])
            )
            try await bench.closeAll()
            let first = try await ClosedDay.all(bench.app.number, bench.connection).values.first
            let second = try await ClosedDay.all(other.number, bench.connection).values.first
            #expect(first?.sessionsEnded == 0)
            #expect(second?.sessions == 0)
        }
    }

    /// B20 (b) and (c): the end came first, and the start is dated after it.
    @Test func aLateStartDatedAfterItsEndBecomesOneSession() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            let end = EventMessage.Event.end(at: Self.morning, session: session, durationMs: 7_000)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [end]))
            try await bench.closeAll()
            let before = try #require(try await bench.closed("2026-10-14"))
            #expect([before.sessions, before.block.count] == [0, 1])
            let start = EventMessage.Event.start(at: Self.morning + 500, session: session)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(1), [start]))
            try await bench.closeAll()
            let after = try #require(try await bench.closed("2026-10-14"))
            #expect([after.sessions, after.sessionsEnded, Int(after.durationMsSum)] == [1, 1, 7_000])
            #expect(after.block.count == 1)
        }
    }

    /// B20 (e).
    @Test func oneSessionIDOnTwoInstallsIsOneSessionOfTheEarlierAndBothAreActive() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            for install in [2, 1] as [UInt64] {
                let at = Self.morning + Int64(install) * 1_000
                let start = EventMessage.Event.start(at: at, session: session)
                try await bench.store.add(.valid(app: bench.app.id, install: .fixed(install), [start]))
            }
            try await bench.closeAll()
            let day = try #require(try await bench.closed("2026-10-14"))
            let row = try #require(day.block.rows.first { $0.isSession })
            #expect(day.sessions == 1)
            // The install that came second started first.
            #expect(row.install == 2)
            #expect(Set(day.block.install) == [1, 2])
        }
    }

    /// B14.
    @Test func twoEndsAndCopiesInOneBatchAreOneSession() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            let start = EventMessage.Event.start(at: Self.morning, session: session)
            let ends = [5_000, 3_000].map {
                EventMessage.Event.end(at: Self.morning + $0, session: session, durationMs: $0)
            }
            let copies = Array(repeating: start, count: 200)
            try await bench.store.add(.valid(app: bench.app.id, [start] + ends + copies))
            try await bench.closeAll()
            let day = try #require(try await bench.closed("2026-10-14"))
            #expect([day.sessions, day.sessionsEnded, Int(day.durationMsSum)] == [1, 1, 5_000])
        }
    }
}
