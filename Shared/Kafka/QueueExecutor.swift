import Dispatch

/// Runs an actor on a queue of its own, where it may block.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// For what must still block after the actor is gone.
    func async(_ work: @escaping @Sendable () -> Void) {
        queue.async { work() }
    }
}
