import Dispatch
import Glibc

/// Work that blocks for long, on a thread that is nobody else's.
///
/// Dispatch has a limited number of threads, and when all of them block, whatever would unblock them waits too.
enum OwnThread {
    static func start(_ work: @escaping @Sendable () -> Void) {
        let opaque = Unmanaged.passRetained(Work(run: work)).toOpaque()
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { opaque in
                opaque.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue() }?.run()
                return nil
            },
            opaque
        )
        guard status == 0 else {
            // No thread to be had: Dispatch may still have one.
            let work = Unmanaged<Work>.fromOpaque(opaque).takeRetainedValue()
            return DispatchQueue.global().async { work.run() }
        }
        pthread_detach(thread)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
