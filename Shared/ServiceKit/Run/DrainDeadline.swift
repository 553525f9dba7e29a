import Dispatch
import Synchronization

/// Says when draining has taken too long, from a thread that Swift's pool cannot hold up.
final class DrainDeadline: Sendable {
    private let steps: [(afterMs: Int, action: @Sendable () -> Void)]
    private let timers = Mutex<[any DispatchSourceTimer]?>([])

    /// `passed` is called after `drainMs`, and `whenStuck` a second later.
    init(drainMs: Int, whenStuck: @escaping @Sendable () -> Void, passed: @escaping @Sendable () -> Void) {
        steps = [(drainMs, passed), (drainMs + 1_000, whenStuck)]
    }

    /// Starts the clock; only the first call does.
    func begin() {
        let steps = steps
        timers.withLock { timers in
            guard timers?.isEmpty == true else { return }
            let queue = DispatchQueue(label: "drain-deadline")
            timers = steps.map { step in
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.schedule(deadline: .now() + .milliseconds(step.afterMs))
                timer.setEventHandler(handler: step.action)
                timer.resume()
                return timer
            }
        }
    }

    /// Stops the clock for good.
    func cancel() {
        timers.withLock { timers in
            for timer in timers ?? [] { timer.cancel() }
            timers = nil
        }
    }
}
