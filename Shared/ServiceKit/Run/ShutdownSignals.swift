import Dispatch
import Glibc
import Synchronization

/// Turns SIGTERM and SIGINT into a shutdown request, from now on and for good.
///
/// A handler of our own writes to a pipe. Dispatch's signal sources would not do: they are set up on another
/// thread some time later, and a SIGTERM right after the start is lost in between.
func installShutdownSignals(_ shutdown: Shutdown) throws(FileError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
        throw .system(operation: "make", path: "the signal pipe", code: errno)
    }
    for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let reader = ends[0]
    signalPipe.store(ends[1], ordering: .sequentiallyConsistent)

    // A thread of Dispatch reads it, which runs even when Swift's pool is stuck. The source holds itself.
    let source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: DispatchQueue(label: "signals"))
    source.setEventHandler {
        var number: UInt8 = 0
        while read(reader, &number, 1) == 1 {
            shutdown.request(Int32(number) == SIGTERM ? "SIGTERM" : "SIGINT")
        }
        withExtendedLifetime(source) {}
    }
    source.resume()
    for number in [SIGTERM, SIGINT] { signal(number, noteSignal) }
}

/// Where the handler writes; -1 until there is a pipe.
private let signalPipe = Atomic<Int32>(-1)

/// Runs in the middle of anything: only an atomic load and `write` are allowed here.
private func noteSignal(_ number: Int32) {
    let interrupted = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = interrupted
}
