import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// Each event is stored once, whatever comes again and however it comes.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct StoreRepeatTests {
    @Test func newEventsAreStored() async throws {
        try await withStore { bench in
            let outcome = try await bench.store.add(.valid(app: bench.app.id, [.start(), .end()]))
            #expect(Self.counts(outcome) == [2, 2])
            let count = try await bench.connection.eventCount()
            #expect(count == 2)
        }
    }

    @Test func theSameBatchAgainChangesNothing() async throws {
        try await withStore { bench in
            let batch = (0..<5).map { _ in
                EventMessage.valid(app: bench.app.id, [.start(user: "42"), .end()])
            }
            try await bench.store.add(batch)
            let before = try await StoredFacts.of(bench.app, bench.connection)
            let outcome = try await bench.store.add(batch)
            #expect(Self.counts(outcome) == [10, 0])
            let after = try await StoredFacts.of(bench.app, bench.connection)
            #expect(after == before)
        }
    }

    @Test func repeatsMarkNoDay() async throws {
        try await withStore { bench in
            let message = EventMessage.valid(app: bench.app.id)
            try await bench.store.add(message)
            try await bench.connection.script("DELETE FROM dirty_days")
            try await bench.store.add(message)
            let marks = try await bench.connection.number("SELECT count(*) FROM dirty_days LIMIT 1")
            #expect(marks == 0)
        }
    }

    @Test func twoHundredCopiesInOneBatchAreOne() async throws {
        try await withStore { bench in
            let start = EventMessage.Event.start()
            let message = EventMessage.valid(
                app: bench.app.id,
                install: .fixed(7),
                Array(repeating: start, count: 200)
            )
            let outcome = try await bench.store.add([message, message])
            #expect(Self.counts(outcome) == [400, 1])
        }
    }

    @Test func ofTwoContentsTheFirstStoredWins() async throws {
        try await withStore { bench in
            let session = UUID128.random()
            let start = EventMessage.Event.start(session: session) { $0.insertID = .fixed(1) }
            let end = EventMessage.Event.end(session: session) { $0.insertID = .fixed(1) }
            try await bench.store.add(.valid(app: bench.app.id, [start]))
            let outcome = try await bench.store.add(.valid(app: bench.app.id, [end]))
            #expect(outcome.new == 0)
            let kinds = try await bench.connection.texts("SELECT kind::text FROM events LIMIT 10")
            #expect(kinds == ["1"])
        }
    }

    @Test func ofTwoContentsInOneBatchTheEarlierMessageWins() async throws {
        try await withStore { bench in
            let first = EventMessage.Event.end(durationMs: 5_000) { $0.insertID = .fixed(1) }
            let second = EventMessage.Event.end(durationMs: 9_000) { $0.insertID = .fixed(1) }
            try await bench.store.add(
                .valid(app: bench.app.id, [first]),
                .valid(app: bench.app.id, [second])
            )
            let durations = try await bench.connection.texts("SELECT duration_ms::text FROM events LIMIT 10")
            #expect(durations == ["5000"])
        }
    }

    @Test func twoInstallsWithOneInsertIDAreOneEvent() async throws {
        try await withStore { bench in
            let event = EventMessage.Event.start { $0.insertID = .fixed(1) }
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(10), [event]))
            let before = try await StoredFacts.of(bench.app, bench.connection)
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(11), [event]))
            let after = try await StoredFacts.of(bench.app, bench.connection)
            #expect(after == before)
        }
    }

    @Test func twoAppsWithOneInsertIDAreTwoEvents() async throws {
        try await withStore { bench in
            let other = try await TestApp.make(bench.connection)
            let event = EventMessage.Event.start { $0.insertID = .fixed(1) }
            let outcome = try await bench.store.add(
                .valid(app: bench.app.id, install: .fixed(10), [event]),
                .valid(app: other.id, install: .fixed(10), [event])
            )
            #expect(outcome.new == 2)
        }
    }

    /// A retry is corrected by another difference of the client's clocks.
    @Test(arguments: [1_000, -1_000, Span.hourMs, -Span.hourMs])
    func aRetryWithAnotherTimeIsRecognisedAcrossAMonthBorder(shiftMs: Int64) async throws {
        try await withStore { bench in
            let border = utcMs("2026-04-01")
            let first = EventMessage.Event.start(at: border - shiftMs / 2) { $0.insertID = .fixed(1) }
            var retry = first
            retry.eventTimeMs = border + shiftMs / 2
            for (event, new) in [(first, 1), (retry, 0)] {
                let outcome = try await bench.store.add(
                    .valid(app: bench.app.id, install: .fixed(10), [event]) {
                        $0.receivedAtMs = border + Span.hourMs + Int64(1 - new) * 60_000
                    }
                )
                #expect(Self.counts(outcome) == [1, new])
            }
            let count = try await bench.connection.eventCount()
            #expect(count == 1)
        }
    }

    /// The first copy was as old as may be when it came, and the client tried again as late as it may.
    @Test func aRetryAWeekLaterIsRecognised() async throws {
        try await withStore { bench in
            let noon = EventMessage.Event.defaultMs
            let first = EventMessage.Event.start(at: noon - EventLimits.ageMsMax) { $0.insertID = .fixed(1) }
            var retry = first
            retry.eventTimeMs = noon + 60_000
            try await bench.store.add(
                .valid(app: bench.app.id, install: .fixed(10), [first]) { $0.receivedAtMs = noon }
            )
            let outcome = try await bench.store.add(
                .valid(app: bench.app.id, install: .fixed(10), [retry]) {
                    $0.receivedAtMs = noon + EventLimits.ageMsMax
                }
            )
            #expect(outcome.new == 0)
        }
    }

    /// Outside every window of a retry, as a replay mixed with new messages or an id used again is.
    @Test func anOldIDInTheMonthOfTheNewEventIsRecognised() async throws {
        try await withStore { bench in
            let first = EventMessage.Event.start(at: utcMs("2026-10-01")) { $0.insertID = .fixed(1) }
            var again = first
            again.eventTimeMs = utcMs("2026-10-31")
            try await bench.store.add(.valid(app: bench.app.id, install: .fixed(10), [first]))
            let before = try await StoredFacts.of(bench.app, bench.connection)
            let outcome = try await bench.store.add(.valid(app: bench.app.id, install: .fixed(11), [again]))
            #expect(outcome.new == 0)
            let after = try await StoredFacts.of(bench.app, bench.connection)
            #expect(after == before)
        }
    }

    @Test func aReplayOfAnOldMessageIsRecognised() async throws {
        try await withStore { bench in
            let old = EventMessage.valid(app: bench.app.id, [.start(at: utcMs("2026-02-10"))])
            try await bench.store.add(old)
            let outcome = try await bench.store.add(.valid(app: bench.app.id), old)
            #expect(outcome.new == 1)
        }
    }

    private static func counts(_ outcome: StoreOutcome) -> [Int] { [outcome.events, outcome.new] }
}
