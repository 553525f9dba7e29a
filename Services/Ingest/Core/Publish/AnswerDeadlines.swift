public import ServiceKit
import Synchronization

/// One batch that waits for the broker: settled once, by the delivery reports or by the clock.
final class PendingAnswer: Sendable {
    enum Outcome: Sendable {
        case confirmed, failed, late
    }

    private let answer: Mutex<(@Sendable (Outcome) -> Void)?>

    init(_ answer: @escaping @Sendable (Outcome) -> Void) {
        self.answer = Mutex(answer)
    }

    /// The first call answers and lets go of everything held for it; later ones do nothing.
    func settle(_ outcome: Outcome) {
        let answer = answer.withLock { held in
            defer { held = nil }
            return held
        }
        answer?(outcome)
    }
}

/// Settles the batches that have waited too long for the broker.
///
/// All wait equally long, so the oldest is always in front and one look each few milliseconds is enough.
public final class AnswerDeadlines: Component {
    public let name = "deadlines"

    private struct Queue {
        var waiters: [(dueMs: Int64, answer: PendingAnswer)] = []
        var head = 0
    }

    private let waitMsMax: Int64
    private let clock: any MonotonicClock
    private let queue = Mutex(Queue())
    private let isStopping = Atomic(false)
    private static let lookMs = 50

    public init(waitMsMax: Int, clock: any MonotonicClock) {
        self.waitMsMax = Int64(waitMsMax)
        self.clock = clock
    }

    func watch(_ answer: PendingAnswer) {
        let dueMs = clock.nowMs() + waitMsMax
        queue.withLock { $0.waiters.append((dueMs, answer)) }
    }

    public func run() async throws {
        while !isStopping.load(ordering: .relaxed) {
            try? await Task.sleep(for: .milliseconds(Self.lookMs))
            for answer in takeDue() { answer.settle(.late) }
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// The batches whose time is over, each given out once.
    func takeDue() -> [PendingAnswer] {
        let nowMs = clock.nowMs()
        return queue.withLock { queue in
            let start = queue.head
            while queue.head < queue.waiters.count, queue.waiters[queue.head].dueMs <= nowMs {
                queue.head += 1
            }
            let due = queue.waiters[start..<queue.head].map(\.answer)
            // Moves the rest to the front only when half is spent, so each is moved at most once on average.
            if queue.head * 2 >= queue.waiters.count {
                queue.waiters.removeFirst(queue.head)
                queue.head = 0
            }
            return due
        }
    }
}
