import Dispatch
import Glibc

/// A connection that sends exactly the bytes it is given.
///
/// It blocks, so it is used on a thread of its own: see `onConnection`.
final class RawConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: Int, from address: String = HTTPCall.clientAddress, secondsMax: Int = 30) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // `deinit` closes it also when this throws further down.
        guard descriptor >= 0 else { throw HTTPCallError(code: errno) }
        var patience = timeval(tv_sec: secondsMax, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        try withAddress(address, port: 0) { try check(bind(descriptor, $0, $1)) }
        try withAddress("127.0.0.1", port: port) { try check(connect(descriptor, $0, $1)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw HTTPCallError(code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The next answer, by its `Content-Length`.
    func answer() throws -> HTTPAnswer {
        let end = Array("\r\n\r\n".utf8)
        while received.firstRange(of: end) == nil {
            guard try receive() else { throw HTTPCallError(code: 0) }
        }
        let headEnd = received.firstRange(of: end)?.upperBound ?? 0
        let head = try HTTPAnswer(Array(received[..<headEnd]))
        let count = head.headers["content-length"].flatMap(Int.init) ?? 0
        while received.count < headEnd + count {
            guard try receive() else { throw HTTPCallError(code: 0) }
        }
        defer { received.removeFirst(headEnd + count) }
        return try HTTPAnswer(Array(received[..<(headEnd + count)]))
    }

    /// Everything up to the end of the stream.
    func rest() throws -> [UInt8] {
        while try receive() {}
        defer { received = [] }
        return received
    }

    /// Returns when the server has closed, in whatever way.
    func waitForEnd() throws {
        do { _ = try rest() } catch let error as HTTPCallError where error.code == ECONNRESET { return }
    }

    /// Sends one byte at a time until the other side has closed; throws when that does not happen within a minute.
    func trickle(_ text: String, everyMs: Int) throws {
        let bytes = Array(text.utf8)
        for index in 0..<(60_000 / everyMs) {
            do { try send([index < bytes.count ? bytes[index] : UInt8(ascii: "x")]) } catch { return }
            usleep(UInt32(everyMs * 1_000))
            if hasEnded { return }
        }
        throw HTTPCallError(code: ETIMEDOUT)
    }

    /// Whether the other side has closed and left nothing to read.
    private var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Closes with a reset when this goes away, as a client does that breaks off.
    func breakOff() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    private func receive() throws -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else { throw HTTPCallError(code: errno) }
            received += buffer.prefix(count)
            return count > 0
        }
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "connection").async { continuation.resume(with: Result { try body() }) }
    }
}

/// Runs `body` with a new connection on a thread of its own.
func onConnection<Value: Sendable>(
    port: Int?,
    _ body: @escaping @Sendable (RawConnection) throws -> Value
) async throws -> Value {
    try await onThread { try body(try RawConnection(port: port ?? 0)) }
}

private func withAddress(
    _ host: String,
    port: Int,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    try withUnsafePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

private func check(_ result: Int32) throws {
    guard result == 0 else { throw HTTPCallError(code: errno) }
}
