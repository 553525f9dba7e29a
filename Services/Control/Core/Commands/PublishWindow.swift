import Kafka
import Synchronization

/// Bounds how many messages wait for the broker, and remembers the first failure.
final class PublishWindow: Sendable {
    private struct State {
        var inFlight = 0
        var failure: KafkaError?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let messagesMax: Int
    private let state = Mutex(State())

    init(messagesMax: Int) {
        self.messagesMax = messagesMax
    }

    /// Waits for room.
    func enter() async {
        await wait { $0.inFlight < self.messagesMax }
        state.withLock { $0.inFlight += 1 }
    }

    func leave(_ error: KafkaError?) {
        let waiters = state.withLock { state in
            state.inFlight -= 1
            if let error, state.failure == nil { state.failure = error }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until every message has its delivery report.
    ///
    /// - Throws: `CommandFailure` when any of them failed; publishing again is safe.
    func drain() async throws {
        await wait { $0.inFlight == 0 }
        if let failure = state.withLock({ $0.failure }) {
            throw CommandFailure(
                "not everything reached the broker (\(failure)): run the import again, nothing counts twice"
            )
        }
    }

    private func wait(until isMet: (State) -> Bool) async {
        while true {
            let isThere = state.withLock { isMet($0) }
            if isThere { return }
            await withCheckedContinuation { waiter in
                let resumesNow = state.withLock { state in
                    if state.inFlight == 0 { return true }
                    state.waiters.append(waiter)
                    return false
                }
                if resumesNow { waiter.resume() }
            }
        }
    }
}
