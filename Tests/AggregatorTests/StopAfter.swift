import Synchronization

/// Says stop from the so-manyth time it is asked: a kill between two transactions.
final class StopAfter: Sendable {
    private let left: Mutex<Int>

    init(_ questions: Int) { left = Mutex(questions) }

    var isReached: Bool {
        left.withLock { left in
            left -= 1
            return left < 0
        }
    }
}
