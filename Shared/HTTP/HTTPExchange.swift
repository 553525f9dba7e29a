import CMicroHTTPD
import Synchronization

/// Where the answer to one request meets the connection that waits for it.
///
/// The answer may come before, while or after the server thread suspends the connection. Suspending and
/// resuming happen under the lock, so that a resume always finds its connection suspended, and so that the
/// server cannot be stopped in the middle of one.
final class HTTPExchange: ResponseSink {
    private enum State {
        case open
        case suspended(SuspendedConnection)
        case answered(HTTPAnswer)
        case over
    }

    private let state = Mutex(State.open)

    @discardableResult
    func finish(_ answer: HTTPAnswer) -> Bool {
        state.withLock { state in
            switch state {
            case .open:
                state = .answered(answer)
                return true
            case .suspended(let connection):
                state = .answered(answer)
                MHD_resume_connection(connection.pointer)
                return true
            case .answered, .over:
                return false
            }
        }
    }

    /// Server thread: takes the answer, or suspends the connection until there is one.
    ///
    /// - Parameter isStopping: Looked at under the lock: once a stopping server has seen to all waiting
    ///   exchanges, no other may begin to wait, or libmicrohttpd would abort.
    func takeAnswer(
        orSuspend connection: OpaquePointer,
        watch: ConnectionWatch,
        unless isStopping: borrowing Atomic<Bool>
    ) -> HTTPAnswer? {
        let suspended = SuspendedConnection(pointer: connection)
        return state.withLock { state in
            switch state {
            case .answered(let answer):
                state = .over
                return answer
            case .over:
                return .problem(.unanswered)
            case .open, .suspended:
                if isStopping.load(ordering: .sequentiallyConsistent) {
                    state = .over
                    return .problem(.stopping)
                }
                watch.setWaiting(self)
                MHD_suspend_connection(suspended.pointer)
                state = .suspended(suspended)
                return nil
            }
        }
    }

    /// Server thread: the connection is gone or done with this request.
    func close() { state.withLock { $0 = .over } }
}

/// A connection that libmicrohttpd leaves alone until it is resumed.
///
/// `@unchecked Sendable`: libmicrohttpd documents `MHD_resume_connection` as safe from any thread, and frees
/// a suspended connection only after it was resumed.
private struct SuspendedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
}
