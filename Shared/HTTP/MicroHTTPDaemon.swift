import CMicroHTTPD
import Glibc

/// Owns a running `MHD_Daemon` and, through it, the service and the connections.
///
/// - Frees: `stop` ends the threads, closes every connection and the listening socket, then lets go of the
///   service. It must be called, and only once; it blocks until callbacks have returned.
/// - Threads: libmicrohttpd makes them, each with its own epoll set, and each connection stays on one. All
///   callbacks below come from them.
/// - Copies: paths, headers, bodies and answers are copied in both directions; no pointer outlives its callback.
/// - Fatal errors inside libmicrohttpd are printed with their source line, then abort the process. Its other
///   messages, which may quote a client, are off.
///
/// `@unchecked Sendable`: the pointers never change, and only `stop`, which is called once, uses them.
struct MicroHTTPDaemon: @unchecked Sendable {
    private let daemon: OpaquePointer
    private let service: Unmanaged<HTTPService>
    private let listening: Int32

    init(service: HTTPService, socket: consuming ListeningSocket) throws(HTTPServerError) {
        let context = Unmanaged.passRetained(service)
        // Whether libmicrohttpd has closed it when it fails to start depends on how; we do not close it twice.
        let listening = socket.release()
        var settings = microhttpd_settings()
        settings.flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_TURBO.rawValue
        settings.listen_fd = listening
        settings.threads = UInt32(clamping: service.configuration.threads)
        // Its limit leaves clients waiting unaccepted, so `onAccept` turns them away before it is reached.
        settings.connections_max = UInt32(clamping: service.configuration.connectionsMax) + 1_024
        settings.connection_memory_bytes = service.configuration.connectionMemoryBytes
        settings.on_access = onAccess
        settings.on_completed = onCompleted
        settings.on_connection = onConnection
        settings.on_accept = onAccept
        settings.on_target = onTarget
        settings.context = context.toOpaque()
        errno = 0
        guard let daemon = microhttpd_start(&settings) else {
            context.release()
            throw .startFailed(reason: HTTPServerError.systemText(errno))
        }
        self.daemon = daemon
        self.service = context
        self.listening = listening
    }

    /// New clients are refused by the kernel; open connections go on.
    func stopListening() { ListeningSocket.silence(listening) }

    func stop() {
        MHD_stop_daemon(daemon)
        service.release()
    }
}

private let onAccept: MHD_AcceptPolicyCallback = { context, _, _ in
    guard let context else { return .NO }
    let service = Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue()
    return service.registry.count < service.configuration.connectionsMax ? .YES : .NO
}

private let onConnection: MHD_NotifyConnectionCallback = { context, pointer, slot, event in
    guard let context, let pointer, let slot else { return }
    let service = Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue()
    let descriptor = microhttpd_socket(pointer)
    switch event {
    case .CONNECTION_NOTIFY_STARTED:
        let peer = microhttpd_peer(pointer).flatMap { HTTPPeer($0) } ?? HTTPPeer(high: 0, low: 0, port: 0)
        let connection = HTTPConnection(service: service, peer: peer, descriptor: descriptor)
        service.registry.add(connection.watch)
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
    case .CONNECTION_NOTIFY_CLOSED:
        guard let opaque = slot.pointee else { return }
        slot.pointee = nil
        let connection = Unmanaged<HTTPConnection>.fromOpaque(opaque).takeRetainedValue()
        connection.close(descriptor)
        service.registry.remove(connection.watch)
    @unknown default:
        return
    }
}

/// The connection itself is the context of its requests, since they come one after the other.
private let onTarget:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { _, target, pointer in
        guard let pointer, let opaque = microhttpd_socket_context(pointer) else { return nil }
        Unmanaged<HTTPConnection>.fromOpaque(opaque).takeUnretainedValue().begin(target)
        return opaque
    }

private let onAccess: MHD_AccessHandlerCallback = { _, pointer, _, method, version, data, size, slot in
    guard let pointer, let method, let version, let size, let opaque = slot?.pointee else { return .NO }
    let piece = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size.pointee)
    size.pointee = 0
    return Unmanaged<HTTPConnection>.fromOpaque(opaque).takeUnretainedValue()
        .proceed(pointer, method: method, version: version, piece: piece)
}

private let onCompleted: MHD_RequestCompletedCallback = { _, _, slot, reason in
    guard let slot, let opaque = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<HTTPConnection>.fromOpaque(opaque).takeUnretainedValue()
        .finish(withError: reason == .REQUEST_TERMINATED_WITH_ERROR)
}
