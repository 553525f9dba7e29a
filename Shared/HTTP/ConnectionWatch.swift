import Glibc
import Synchronization

/// What other threads may do with a connection: see its deadline, and shut its socket down.
///
/// Only its server thread moves the deadline. The lock is what makes shutting down safe: libmicrohttpd
/// reports a connection as closed before it closes the descriptor, so that under the lock a descriptor we
/// still have is the connection's own and not a later one with the same number.
final class ConnectionWatch: Sendable {
    private struct Guarded {
        var descriptor: Int32?
        var waiting: HTTPExchange?
    }

    private let deadlineMs: Atomic<Int64>
    private let isIdle = Atomic(true)
    private let guarded: Mutex<Guarded>

    init(descriptor: Int32, deadlineMs: Int64) {
        self.deadlineMs = Atomic(deadlineMs)
        guarded = Mutex(Guarded(descriptor: descriptor))
    }

    /// Server thread: a request has begun; nil leaves the deadline as it is.
    func begin(deadlineMs: Int64?) {
        isIdle.store(false, ordering: .relaxed)
        if let deadlineMs { expect(byMs: deadlineMs) }
    }

    /// Server thread: between two requests.
    func rest(deadlineMs: Int64) {
        expect(byMs: deadlineMs)
        isIdle.store(true, ordering: .relaxed)
    }

    func expect(byMs deadlineMs: Int64) { self.deadlineMs.store(deadlineMs, ordering: .relaxed) }

    /// Waiting for the handler has no deadline of ours.
    func expectNothing() { expect(byMs: .max) }

    func setWaiting(_ exchange: HTTPExchange?) { guarded.withLock { $0.waiting = exchange } }

    var waiting: HTTPExchange? { guarded.withLock { $0.waiting } }

    /// Server thread, on closing: from here on nobody touches the socket.
    func forgetSocket() { guarded.withLock { $0.descriptor = nil } }

    /// Any thread: libmicrohttpd sees the end of the stream and closes.
    func shutDownIfOverdue(nowMs: Int64) {
        guard deadlineMs.load(ordering: .relaxed) <= nowMs else { return }
        shutDown(Int32(SHUT_RDWR))
    }

    /// Any thread: only the reading half, so that a request that has arrived is still read and answered.
    func shutDownIfIdle() {
        guard isIdle.load(ordering: .relaxed) else { return }
        shutDown(Int32(SHUT_RD))
    }

    private func shutDown(_ how: Int32) {
        guarded.withLock { guarded in
            guard let descriptor = guarded.descriptor else { return }
            _ = shutdown(descriptor, how)
        }
    }
}
