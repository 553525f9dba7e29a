import Glibc
import Synchronization

/// An HTTP/1.1 server: libmicrohttpd's threads in front of one `HTTPHandler`.
///
/// It listens from its creation until `drain`, or until it is released, which cuts off what is in flight.
/// Creating one ignores SIGPIPE in the process and raises its limit of open files, as far as allowed, to
/// what `connectionsMax` needs.
public final class HTTPServer: Sendable {
    /// The port it listens on, also when any was asked for.
    public let port: Int
    private let service: HTTPService
    private let daemon: Mutex<MicroHTTPDaemon?>

    public init(
        _ configuration: HTTPServerConfiguration,
        handler: any HTTPHandler
    ) throws(HTTPServerError) {
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.allow(configuration.connectionsMax + 1_024)
        let socket = try ListeningSocket(address: configuration.address, port: configuration.port)
        port = socket.port
        service = HTTPService(configuration: configuration, handler: handler)
        daemon = Mutex(try MicroHTTPDaemon(service: service, socket: socket))
        service.housekeeper.start(service.registry)
    }

    deinit { stop() }

    public var openConnections: Int { service.registry.count }

    /// Bytes of bodies whose requests are not answered yet.
    public var bodiesBytes: Int { service.bodies.bytes }

    /// Stops in good order, within about `ms` milliseconds.
    ///
    /// New clients are refused, idle connections closed, and requests in flight answered, each answer closing
    /// its connection. Those whose handler has not answered in time get `HTTPProblem.stopping`. Cancelling the
    /// task cuts the wait short.
    public func drain(ms: Int) async {
        service.isDraining.store(true, ordering: .sequentiallyConsistent)
        daemon.withLock { $0?.stopListening() }
        await waitForLastConnection(ms: ms)
        refuseWaiting()
        // Time for the refusals to leave.
        await waitForLastConnection(ms: 250)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // Joins threads, so it must not run on Swift's pool.
            OwnThread.start { [self] in
                stop()
                done.resume()
            }
        }
    }

    private func waitForLastConnection(ms: Int) async {
        let deadlineMs = Monotonic.nowMs() + Int64(ms)
        while service.registry.count > 0, Monotonic.nowMs() < deadlineMs {
            // Again each time: connections go idle as their answers leave.
            service.registry.shutDownIdle()
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
        }
    }

    private func refuseWaiting() {
        service.isStopping.store(true, ordering: .sequentiallyConsistent)
        service.registry.finishWaiting(.problem(.stopping))
    }

    private func stop() {
        guard let running = daemon.withLock({ $0.take() }) else { return }
        service.housekeeper.stop()
        service.isDraining.store(true, ordering: .sequentiallyConsistent)
        refuseWaiting()
        running.stop()
    }
}
