import Glibc

/// One request over a connection of its own, and its answer.
///
/// It comes from an address that nothing else has, so that a trace of it is found.
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
        try await onThread {
            let connection = try RawConnection(port: port, secondsMax: secondsMax)
            try connection.send(requestBytes)
            return try HTTPAnswer(try connection.rest())
        }
    }

    private var requestBytes: [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
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
