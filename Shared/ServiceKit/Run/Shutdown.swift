import Synchronization

/// The wish to stop: made once, by a signal or a test, and heard by everybody who asked to.
public final class Shutdown: Sendable {
    private struct State {
        var reason: String?
        var handlers: [@Sendable (String) -> Void] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The first request counts; later ones change nothing.
    public func request(_ reason: String) {
        let handlers = state.withLock { state -> [@Sendable (String) -> Void] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler(reason) }
    }

    /// Calls `handler` once: when the request comes, or now when it came already.
    public func onRequest(_ handler: @escaping @Sendable (String) -> Void) {
        let reason = state.withLock { state -> String? in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason
        }
        if let reason { handler(reason) }
    }
}
