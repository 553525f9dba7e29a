/// A long-lived part of a service: a server, a consumer, a producer, a timer.
public protocol Component: Sendable {
    /// What the log calls it.
    var name: String { get }

    /// Gets ready; the components after this one start when it returns.
    ///
    /// The place to bind a port or to take a partition. Does nothing unless a component says otherwise.
    func start() async throws

    /// Runs until `stop` is called, then finishes the work it holds and returns.
    func run() async throws

    /// Asks `run` to finish, and a `start` under way to give up.
    ///
    /// Must return at once, may be called more than once and before `run`, which then returns soon.
    func stop()
}

extension Component {
    public func start() async throws {}
}
