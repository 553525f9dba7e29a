import Glibc

/// Owns a bound and listening socket until libmicrohttpd takes it over.
///
/// We open it rather than libmicrohttpd, whose only word on a failure is a null pointer.
struct ListeningSocket: ~Copyable {
    let descriptor: Int32
    let port: Int

    init(address: String, port: Int) throws(HTTPServerError) {
        (descriptor, self.port) = try Self.open(address: address, port: port)
    }

    deinit { close(descriptor) }

    /// Passes ownership on: the caller's new owner closes it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Stops listening on a socket that libmicrohttpd owns, leaving a deaf one in its place.
    ///
    /// `MHD_quiesce_daemon` would be the official way, but in 0.9.75 it aborts the process when a worker
    /// wakes between its look at the epoll set and its removal of the socket from it.
    static func silence(_ descriptor: Int32) {
        let deaf = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard deaf >= 0 else { return }
        dup2(deaf, descriptor)
        close(deaf)
    }

    private static func open(
        address: String,
        port: Int
    ) throws(HTTPServerError) -> (descriptor: Int32, port: Int) {
        guard let peer = UInt16(exactly: port).flatMap({ HTTPPeer(address, port: $0) }) else {
            throw .addressInvalid("\(address) port \(port)")
        }
        let family = peer.isIPv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(address, port) }

        var on: Int32 = 1
        var off: Int32 = 0
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size)
        }
        guard bind(descriptor, to: peer) == 0, listen(descriptor, 4_096) == 0,
            let bound = boundPort(descriptor)
        else {
            let failure = failure(address, port)
            close(descriptor)
            throw failure
        }
        return (descriptor, bound)
    }

    private static func failure(_ address: String, _ port: Int) -> HTTPServerError {
        .listenFailed(address: address, port: port, reason: HTTPServerError.systemText(errno))
    }

    private static func bind(_ descriptor: Int32, to peer: HTTPPeer) -> Int32 {
        if peer.isIPv4 {
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = peer.port.bigEndian
            v4.sin_addr.s_addr = UInt32(truncatingIfNeeded: peer.low).bigEndian
            return withUnsafePointer(to: &v4) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = peer.port.bigEndian
        v6.sin6_addr = unsafeBitCast((peer.high.bigEndian, peer.low.bigEndian), to: in6_addr.self)
        return withUnsafePointer(to: &v6) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &size) == 0 else { return nil }
                return HTTPPeer(address).map { Int($0.port) }
            }
        }
    }
}
