import Synchronization

/// Runs work again and again until it is stopped, with pauses in between: the inside of a component that does something now and then.
///
/// A stop is noticed within a moment while it waits; work that takes long asks `shouldStop` itself.
public final class Repeater: Sendable {
    private let clock: any MonotonicClock
    private let isStopping = Atomic(false)
    private static let stopCheckMs: Int64 = 100

    public init(clock: any MonotonicClock) {
        self.clock = clock
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    public var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// - Parameter work: returns how many milliseconds after its end it wants to run again.
    public nonisolated(nonsending) func run(_ work: () async -> Int64) async {
        while !shouldStop {
            let pauseMs = await work()
            await pause(ms: pauseMs)
        }
    }

    /// Waits, or returns early after a stop.
    public nonisolated(nonsending) func pause(ms: Int64) async {
        let endMs = clock.nowMs() + max(0, ms)
        while !shouldStop {
            let leftMs = endMs - clock.nowMs()
            guard leftMs > 0 else { return }
            try? await Task.sleep(for: .milliseconds(min(leftMs, Self.stopCheckMs)))
        }
    }
}
