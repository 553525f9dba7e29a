import Dispatch
import Glibc

/// What a server answered, as it came over the wire.
public struct HTTPAnswer: Sendable {
    public let status: Int
    public let headers: [(name: String, value: String)]
    public let body: String

    /// Nil unless there is exactly one of that name.
    public func header(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }
        return values.count == 1 ? values[0].value : nil
    }
}

/// Sends requests exactly as they are written: nothing is normalised or encoded again.
public enum HTTPClient {
    public enum Failure: Error {
        case system(Int32)
        case notAnAnswer(String)
    }

    /// One request on a connection of its own.
    public static func send(
        _ method: String,
        _ target: String,
        port: Int,
        headers: [(String, String)] = [],
        body: String = ""
    ) async throws -> HTTPAnswer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        let request = Array((text + "\r\n" + body).utf8)
        // It blocks, so it must not take a thread of Swift's pool, which the server may need.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "http-client").async {
                continuation.resume(with: Result { try parse(exchange(request, port: port)) })
            }
        }
    }

    private static func exchange(_ request: [UInt8], port: Int) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 90, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure.system(errno) }
        var rest = request[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.system(errno) }
            rest = rest.dropFirst(count)
        }
        return try readAll(descriptor)
    }

    private static func readAll(_ descriptor: Int32) throws -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure.system(errno) }
            guard count > 0 else { return answer }
            answer += buffer.prefix(count)
        }
    }

    private static func parse(_ bytes: [UInt8]) throws -> HTTPAnswer {
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        guard let range = bytes.firstRange(of: end) else {
            throw Failure.notAnAnswer(String(decoding: bytes, as: UTF8.self))
        }
        let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure.notAnAnswer(String(decoding: bytes, as: UTF8.self))
        }
        let headers = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (name: String(name), value: String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
        return HTTPAnswer(
            status: status,
            headers: headers,
            body: String(decoding: bytes[range.upperBound...], as: UTF8.self)
        )
    }
}
