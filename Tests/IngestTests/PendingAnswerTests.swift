import ServiceKit
import Synchronization
import Testing

@testable import IngestCore

/// Notes what a pending answer came to, in order.
private final class Outcomes: Sendable {
    private let noted = Mutex<[String]>([])

    var all: [String] { noted.withLock { $0 } }

    func pending(_ name: String = "") -> PendingAnswer {
        PendingAnswer { [self] outcome in noted.withLock { $0.append("\(name)\(outcome)") } }
    }
}

@Suite struct PendingAnswerTests {
    private let outcomes = Outcomes()

    @Test(arguments: [PendingAnswer.Outcome.confirmed, .failed, .late])
    func isSettledByTheFirstCall(outcome: PendingAnswer.Outcome) {
        outcomes.pending().settle(outcome)

        #expect(outcomes.all == ["\(outcome)"])
    }

    @Test func laterCallsDoNothing() {
        let pending = outcomes.pending()

        pending.settle(.late)
        pending.settle(.confirmed)
        pending.settle(.failed)

        #expect(outcomes.all == ["late"])
    }

    @Test func ofManyThreadsOneSettles() async {
        let pending = outcomes.pending()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { pending.settle(number.isMultiple(of: 2) ? .confirmed : .late) }
            }
        }

        #expect(outcomes.all.count == 1)
    }

    @Test func lettingGoHappensAtOnce() {
        final class Held: Sendable {}
        weak var held: Held?
        let pending: PendingAnswer
        do {
            let strong = Held()
            held = strong
            pending = PendingAnswer { _ in _ = strong }
        }
        #expect(held != nil)

        pending.settle(.late)

        #expect(held == nil)
    }
}

@Suite struct AnswerDeadlinesTests {
    private let clock = ManualMonotonicClock()
    private let outcomes = Outcomes()
    private let deadlines: AnswerDeadlines

    init() { deadlines = AnswerDeadlines(waitMsMax: 5_000, clock: clock) }

    @Test func oneMillisecondEarlierNothingIsDue() {
        deadlines.watch(outcomes.pending())
        clock.advance(ms: 4_999)

        #expect(deadlines.takeDue().isEmpty)
    }

    @Test func whatIsDueIsTakenOnce() {
        deadlines.watch(outcomes.pending())
        clock.advance(ms: 5_000)

        #expect(deadlines.takeDue().count == 1)
        #expect(deadlines.takeDue().isEmpty)
    }

    @Test func theOldestIsTakenFirst() {
        for number in 0..<10 {
            deadlines.watch(outcomes.pending("\(number) "))
            clock.advance(ms: 10)
        }
        clock.advance(ms: 4_950)

        for pending in deadlines.takeDue() { pending.settle(.late) }

        #expect(outcomes.all == (0...5).map { "\($0) late" })
    }

    /// Taken in small steps, so that the queue moves its rest to the front many times.
    @Test func nobodyIsForgotten() {
        var taken = 0
        for number in 0..<1000 {
            deadlines.watch(outcomes.pending())
            clock.advance(ms: number.isMultiple(of: 3) ? 40 : 1)
            taken += deadlines.takeDue().count
        }
        clock.advance(ms: 5_000)

        #expect(taken > 0)
        #expect(taken + deadlines.takeDue().count == 1000)
    }

    @Test(.timeLimit(.minutes(1))) func runSettlesWhatIsLate() async throws {
        let (settled, continuation) = AsyncStream<PendingAnswer.Outcome>.makeStream()
        let running = Task { try await deadlines.run() }
        deadlines.watch(PendingAnswer { continuation.yield($0) })

        clock.advance(ms: 5_000)

        for await outcome in settled {
            #expect(outcome == .late)
            break
        }
        deadlines.stop()
        try await running.value
    }

    @Test(.timeLimit(.minutes(1))) func stopBeforeRunEndsIt() async throws {
        deadlines.stop()

        try await deadlines.run()
    }
}
