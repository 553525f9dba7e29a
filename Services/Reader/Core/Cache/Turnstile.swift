import Synchronization

/// Lets one task in at a time, in the order they came.
final class Turnstile: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isTaken = false
        var waiting: [Waiter] = []
    }

    private let state = Mutex(State())
    private let nextID = Atomic<UInt64>(0)

    /// Call `leave` after it has returned, and only then.
    ///
    /// - Throws: `CancellationError` when the task was cancelled while it waited.
    func enter() async throws {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isIn = state.withLock { state -> Bool in
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append(Waiter(id: id, continuation: continuation))
                    return false
                }
                if isIn { continuation.resume() }
                // A cancellation before this line found nobody waiting yet.
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    func leave() {
        let next = state.withLock { state -> Waiter? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume()
    }

    private func giveUp(_ id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// How many wait; for tests.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
}
