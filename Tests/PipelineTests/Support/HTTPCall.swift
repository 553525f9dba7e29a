import Dispatch
import Glibc

/// One request over a connection of its own, and its answer.
///
/// On a thread of its own, since it blocks. It comes from an address that nothing else has, so that a trace of it is found.
struct HTTPCall: Sendable {
    /// Loopback like 127.0.0.1, and told apart from it.
    static let clientAddress = "127.77.13.9"

    var method = "GET"
    var port: Int
    var target: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var secondsMax = 30

    func answer() async throws -> HTTPAnswer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "http-call").async {
                continuation.resume(with: Result { try exchange() })
            }
        }
    }

    private func exchange() throws -> HTTPAnswer {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw HTTPCallError(code: errno) }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: secondsMax, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        try withAddress(Self.clientAddress, port: 0) { try check(bind(descriptor, $0, $1)) }
        try withAddress("127.0.0.1", port: port) { try check(connect(descriptor, $0, $1)) }
        try send(requestBytes, to: descriptor)
        return try HTTPAnswer(try receiveAll(from: descriptor))
    }

    private var requestBytes: [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
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

private func send(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw HTTPCallError(code: errno) }
        rest = rest.dropFirst(count)
    }
}

private func receiveAll(from descriptor: Int32) throws -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw HTTPCallError(code: errno) }
        if count == 0 { return received }
        received += buffer.prefix(count)
    }
}

/// The connection failed, or the answer made no sense.
struct HTTPCallError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { code == 0 ? "no answer" : String(cString: strerror(code)) }
}

struct HTTPAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    init(_ bytes: [UInt8]) throws {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw HTTPCallError(code: 0) }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw HTTPCallError(code: 0) }
        self.status = status
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
        }
        self.headers = headers
        body = Array(bytes[end.upperBound...])
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    /// `null` when it is none.
    var json: JSON { (try? JSON(parsing: body)) ?? .null }
    var errorCode: String? { json["error"]["code"].string }
    var retryAfterSeconds: Int? { headers["retry-after"].flatMap(Int.init) }
}
