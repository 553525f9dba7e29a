import Synchronization

/// The open connections of a server.
final class ConnectionRegistry: Sendable {
    private let watches = Mutex<[ObjectIdentifier: ConnectionWatch]>([:])

    var count: Int { watches.withLock { $0.count } }

    func add(_ watch: ConnectionWatch) { watches.withLock { $0[ObjectIdentifier(watch)] = watch } }

    func remove(_ watch: ConnectionWatch) {
        watches.withLock { $0[ObjectIdentifier(watch)] = nil }
    }

    func shutDownOverdue(nowMs: Int64) {
        watches.withLock { watches in
            for watch in watches.values { watch.shutDownIfOverdue(nowMs: nowMs) }
        }
    }

    func shutDownIdle() {
        watches.withLock { watches in
            for watch in watches.values { watch.shutDownIfIdle() }
        }
    }

    /// Answers every suspended request.
    ///
    /// Outside the lock, since an answer takes the exchange's own.
    func finishWaiting(_ answer: HTTPAnswer) {
        let waiting = watches.withLock { $0.values.compactMap(\.waiting) }
        for exchange in waiting { exchange.finish(answer) }
    }
}
