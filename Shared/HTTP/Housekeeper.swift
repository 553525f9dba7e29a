import Glibc
import Synchronization

/// One thread beside the server's: cuts off overdue connections, and lets refused clients read their answer.
///
/// Closing a socket with unread input makes the kernel send a reset, which throws away an answer the client
/// has not read yet. So of a connection that was refused in mid-sentence a copy of the descriptor comes here:
/// what still arrives is read and thrown away, and the copy is closed when the client has finished, or after
/// a while.
final class Housekeeper: Sendable {
    private struct Inbox {
        var arrivals: [Int32] = []
        var lingeringCount = 0
        var isStopped = false
        /// Wakes the thread that waits at `ear`; -1 without one.
        var bell: Int32 = -1
    }

    private let inbox: Mutex<Inbox>
    private let ear: Int32
    private let everyMs: Int
    private let lingerMsMax: Int
    private static let lingeringMax = 256

    init(everyMs: Int, lingerMsMax: Int) {
        self.everyMs = everyMs
        self.lingerMsMax = lingerMsMax
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        // Without a pair, which only a lack of descriptors prevents, everything happens at the next round.
        _ = socketpair(AF_UNIX, Int32(kind), 0, &ends)
        ear = ends[0]
        inbox = Mutex(Inbox(bell: ends[1]))
    }

    func start(_ registry: ConnectionRegistry) {
        OwnThread.start { [self] in run(registry) }
    }

    func stop() {
        inbox.withLock { inbox in
            inbox.isStopped = true
            Self.ring(inbox.bell)
        }
    }

    /// Borrows the descriptor, whose owner may close it at once.
    func linger(_ descriptor: Int32) {
        guard lingerMsMax > 0 else { return }
        inbox.withLock { inbox in
            guard !inbox.isStopped, inbox.lingeringCount < Self.lingeringMax else { return }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return }
            // The end of the stream tells the client that this was the whole answer.
            _ = shutdown(copy, Int32(SHUT_WR))
            inbox.arrivals.append(copy)
            inbox.lingeringCount += 1
            Self.ring(inbox.bell)
        }
    }

    private func run(_ registry: ConnectionRegistry) {
        var lingering: [(descriptor: Int32, untilMs: Int64)] = []
        var sweepAtMs = Monotonic.nowMs() + Int64(everyMs)
        while true {
            let readable = wait(for: lingering.map(\.descriptor), untilMs: sweepAtMs)
            let nowMs = Monotonic.nowMs()
            lingering = lingering.filter { entry in
                let isOver =
                    entry.untilMs <= nowMs
                    || readable.contains(entry.descriptor) && Self.isFinished(entry.descriptor)
                if isOver { close(entry.descriptor) }
                return !isOver
            }
            let isStopped = inbox.withLock { inbox in
                let untilMs = nowMs + Int64(lingerMsMax)
                lingering += inbox.arrivals.map { ($0, untilMs) }
                inbox.arrivals = []
                inbox.lingeringCount = lingering.count
                return inbox.isStopped
            }
            if isStopped { break }
            if sweepAtMs <= nowMs {
                registry.shutDownOverdue(nowMs: nowMs)
                sweepAtMs = nowMs + Int64(everyMs)
            }
        }
        for entry in lingering { close(entry.descriptor) }
        inbox.withLock { inbox in
            if inbox.bell >= 0 { close(inbox.bell) }
            inbox.bell = -1
        }
        if ear >= 0 { close(ear) }
    }

    /// The descriptors with something to read, as soon as there is one or the bell rings.
    private func wait(for descriptors: [Int32], untilMs: Int64) -> Set<Int32> {
        var polls = ([ear] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let leftMs = max(0, untilMs - Monotonic.nowMs())
        guard poll(&polls, nfds_t(polls.count), Int32(clamping: leftMs)) > 0 else { return [] }
        if polls[0].revents != 0 { Self.throwAway(ear) }
        return Set(polls.dropFirst().filter { $0.revents != 0 }.map(\.fd))
    }

    private static func ring(_ bell: Int32) {
        var byte: UInt8 = 0
        // A full buffer is a bell that already rings.
        if bell >= 0 { _ = write(bell, &byte, 1) }
    }

    private static func throwAway(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            _ = read(descriptor, buffer.baseAddress, buffer.count)
        }
    }

    /// Throws away what has arrived; true at the end of the stream and on an error.
    private static func isFinished(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            switch recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) {
            case 0: true
            case ..<0: errno != EAGAIN && errno != EINTR
            default: false
            }
        }
    }
}
