import Glibc

/// A client that sends exactly the bytes it is given.
///
/// It blocks, so it runs on a thread of its own: a test that waits here takes no thread of Swift's pool, which
/// the server under test may need.
actor RawClient {
    private let executor = ThreadExecutor()
    private let descriptor: Int32
    private var received: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter receiveBytes: A small receive window, for a client that does not read.
    init(port: Int, host: String = "127.0.0.1", receiveBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes the socket: it also runs when an initialiser throws this late.
        guard result == 0 else { throw RawClientError.system(errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw RawClientError.system(errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The next response, with its body unless it is one to a HEAD.
    func response(toHead: Bool = false) throws -> RawResponse {
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil {
            guard try receive() else { throw RawClientError.ended }
        }
        let range = received.firstRange(of: end) ?? 0..<0
        var response = RawResponse(head: String(decoding: received[..<range.lowerBound], as: UTF8.self))
        received.removeSubrange(..<range.upperBound)
        let count = toHead ? 0 : response.header("content-length").flatMap(Int.init) ?? 0
        while received.count < count {
            guard try receive() else { throw RawClientError.ended }
        }
        response.body = String(decoding: received.prefix(count), as: UTF8.self)
        received.removeFirst(count)
        return response
    }

    /// Everything up to the end of the stream; a reset throws.
    func rest() throws -> String {
        while try receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Returns when the server has closed, in whatever way.
    func waitForEnd() throws {
        do { _ = try rest() } catch RawClientError.system(ECONNRESET) { return }
    }

    /// Closes with a reset rather than in good order.
    func disconnect() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        // Closed in `deinit`; this only breaks the connection now.
        var unspecified = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
        connect(descriptor, &unspecified, socklen_t(MemoryLayout<sockaddr>.size))
    }

    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw RawClientError.system(errno) }
        received += buffer.prefix(count)
        return count > 0
    }
}

enum RawClientError: Error, Equatable {
    case ended
    case system(Int32)
}

struct RawResponse {
    let head: String
    var body = ""

    var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    func header(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts: [Substring] = line.split(
                separator: ":",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, parts[0].lowercased() == name else { continue }
            return String(parts[1].drop { $0 == " " })
        }
        return nil
    }
}
