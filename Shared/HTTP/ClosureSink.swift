import Synchronization

/// Hands one answer to a closure; see `HTTPResponder.init(_:)`.
final class ClosureSink: ResponseSink {
    private let deliver: @Sendable (HTTPResponse) -> Void
    private let isFinished = Atomic(false)

    init(deliver: @escaping @Sendable (HTTPResponse) -> Void) { self.deliver = deliver }

    func finish(_ answer: HTTPAnswer) -> Bool {
        guard !isFinished.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        switch answer {
        case .response(let response): deliver(response)
        case .problem(let problem): deliver(HTTPResponse(status: problem.status))
        }
        return true
    }
}
