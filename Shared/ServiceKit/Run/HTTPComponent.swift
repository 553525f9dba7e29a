public import HTTP
import Synchronization

/// An HTTP server as a part of a service: it listens from its start and drains when it is stopped.
public final class HTTPComponent: Component {
    public let name: String
    private let configuration: HTTPServerConfiguration
    private let handler: any HTTPHandler
    private let drainMs: Int
    private let logger: Logger
    private let server = Mutex<HTTPServer?>(nil)
    private let stopped = AsyncStream<Void>.makeStream()

    /// `drainMs` is how long requests in flight may take once it is stopped.
    public init(
        _ name: String,
        _ configuration: HTTPServerConfiguration,
        handler: any HTTPHandler,
        drainMs: Int,
        logger: Logger
    ) {
        self.name = name
        self.configuration = configuration
        self.handler = handler
        self.drainMs = drainMs
        self.logger = logger
    }

    /// The port it listens on, also when any was asked for; nil before the start and after the end.
    public var port: Int? { server.withLock { $0?.port } }

    public func start() async throws {
        let server = try HTTPServer(configuration, handler: handler)
        self.server.withLock { $0 = server }
        logger.info(
            "listening",
            [.component: name, .address: configuration.address, .port: server.port]
        )
    }

    public func run() async throws {
        for await _ in stopped.stream {}
        await server.withLock { $0.take() }?.drain(ms: drainMs)
    }

    public func stop() { stopped.continuation.finish() }
}
