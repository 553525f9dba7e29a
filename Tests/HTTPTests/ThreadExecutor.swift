import Dispatch
import Glibc
import Synchronization

/// Runs an actor on a thread of its own.
///
/// Not on a queue: with hundreds of clients blocked at once, Dispatch would run out of threads.
final class ThreadExecutor: SerialExecutor {
    private let lane = Lane()

    init() {
        let opaque = Unmanaged.passRetained(lane).toOpaque()
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { opaque in
                opaque.map { Unmanaged<Lane>.fromOpaque($0).takeRetainedValue() }?.run()
                return nil
            },
            opaque
        )
        precondition(status == 0, "no thread for a client")
        pthread_detach(thread)
    }

    deinit { lane.add(nil) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lane.add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private final class Lane: Sendable {
    private let work = Mutex<[(@Sendable () -> Void)?]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Nil ends the thread.
    func add(_ job: (@Sendable () -> Void)?) {
        work.withLock { $0.append(job) }
        arrived.signal()
    }

    func run() {
        while true {
            arrived.wait()
            guard let job = work.withLock({ $0.removeFirst() }) else { return }
            job()
        }
    }
}
