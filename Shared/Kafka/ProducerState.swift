import CRDKafka
import Synchronization

/// What a producer, its poll thread and its callbacks share.
final class ProducerState: Sendable {
    let log: KafkaLogHandler?
    private let inFlight = Atomic(0)
    private let isClosing = Atomic(false)
    private let fatal = Mutex<KafkaError?>(nil)
    private let closing = Mutex(Closing.notAsked)

    private enum Closing {
        case notAsked
        case asked(flushMs: Int32, waiters: [CheckedContinuation<Void, Never>])
        case done
    }

    init(log: KafkaLogHandler?) { self.log = log }

    static func from(_ opaque: UnsafeMutableRawPointer?) -> ProducerState? {
        opaque.map { Unmanaged<ProducerState>.fromOpaque($0).takeUnretainedValue() }
    }

    var inFlightCount: Int { inFlight.load(ordering: .relaxed) }

    /// Counts a message in, unless the producer is closing.
    ///
    /// It counts first and looks second, while the thread raises the flag first and counts second: one of
    /// the two always sees the other, so no message slips in behind the last purge.
    func enter() -> Bool {
        inFlight.add(1, ordering: .sequentiallyConsistent)
        if !isClosing.load(ordering: .sequentiallyConsistent) { return true }
        leave()
        return false
    }

    func leave() {
        inFlight.subtract(1, ordering: .sequentiallyConsistent)
    }

    var isIdle: Bool { inFlight.load(ordering: .sequentiallyConsistent) == 0 }
    var isAskedToClose: Bool { isClosing.load(ordering: .sequentiallyConsistent) }

    var fatalError: KafkaError? { fatal.withLock { $0 } }

    /// Keeps the first fatal error: the later ones follow from it.
    func recordFatal(_ error: KafkaError?) {
        fatal.withLock { $0 = $0 ?? error }
    }

    /// Returns at once; `waiter` is resumed when the thread has ended.
    func askToClose(flushMs: Int, waiter: CheckedContinuation<Void, Never>?) {
        let added = waiter.map { [$0] } ?? []
        let isDone = closing.withLock { closing in
            switch closing {
            case .notAsked:
                closing = .asked(flushMs: Int32(clamping: max(0, flushMs)), waiters: added)
            case .asked(let flushMs, let waiters):
                closing = .asked(flushMs: flushMs, waiters: waiters + added)
            case .done:
                return true
            }
            return false
        }
        isClosing.store(true, ordering: .sequentiallyConsistent)
        if isDone { waiter?.resume() }
    }

    var flushMs: Int32 {
        closing.withLock { closing in
            guard case .asked(let flushMs, _) = closing else { return 0 }
            return flushMs
        }
    }

    func finishClosing() {
        let waiters = closing.withLock { closing in
            guard case .asked(_, let waiters) = closing else { return [CheckedContinuation<Void, Never>]() }
            closing = .done
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
