import Synchronization

/// What the connections of one server share.
final class HTTPService: Sendable {
    let configuration: HTTPServerConfiguration
    let handler: any HTTPHandler
    let registry = ConnectionRegistry()
    let housekeeper: Housekeeper
    let bodies: BodyBudget
    /// Answers from now on close their connections.
    let isDraining = Atomic(false)
    /// No connection may be suspended any more.
    let isStopping = Atomic(false)

    init(configuration: HTTPServerConfiguration, handler: any HTTPHandler) {
        self.configuration = configuration
        self.handler = handler
        bodies = BodyBudget(bytesMax: configuration.bodiesBytesMax)
        housekeeper = Housekeeper(everyMs: configuration.sweepMs, lingerMsMax: configuration.lingerMsMax)
    }

    func deadlineMs(after milliseconds: Int) -> Int64 { Monotonic.nowMs() + Int64(milliseconds) }
}
