import Dispatch

/// Runs an actor's work on one dispatch queue, so that a blocking call blocks nobody else.
///
/// Serial queues have threads of their own beyond the number of cores, so that twenty connections can wait at
/// once.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
