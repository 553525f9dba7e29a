import Synchronization
import Testing

@testable import ReaderCore

/// Numbers in the order in which tasks noted them.
private final class Notes: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

@Suite struct TurnstileTests {
    @Test func oneAtATimeInTheOrderTheyCame() async throws {
        let turn = Turnstile()
        let order = Notes()
        try await turn.enter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await turn.enter()
                    order.add(number)
                    turn.leave()
                }
                while turn.waitingCount <= number { await Task.yield() }
            }
            turn.leave()
            try await group.waitForAll()
        }
        #expect(order.all == Array(0..<20))
    }

    @Test func whoIsCancelledLeavesTheLineAndKeepsNobodyOut() async throws {
        let turn = Turnstile()
        try await turn.enter()
        let cancelled = Task { try await turn.enter() }
        while turn.waitingCount < 1 { await Task.yield() }
        let patient = Task { try await turn.enter() }
        while turn.waitingCount < 2 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(turn.waitingCount == 1)
        turn.leave()
        try await patient.value
        turn.leave()
        try await turn.enter()
    }

    @Test func whoIsCancelledAlreadyDoesNotWait() async throws {
        let turn = Turnstile()
        try await turn.enter()
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await turn.enter()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        turn.leave()
        try await turn.enter()
    }
}

@Suite struct IdentityCursorTests {
    private let cursor = IdentityCursor(xmin: 7, readAtMs: 1_000)

    @Test func isUsableUntilItsAgeIsReached() {
        #expect(cursor.isUsable(nowMs: 1_000))
        #expect(cursor.isUsable(nowMs: 1_000 + IdentityCursor.ageMsMax - 1))
        #expect(!cursor.isUsable(nowMs: 1_000 + IdentityCursor.ageMsMax))
    }

    /// A clock that was set back says nothing about how long ago something was.
    @Test func isNotUsableFromTheFuture() {
        #expect(!cursor.isUsable(nowMs: 999))
    }
}
