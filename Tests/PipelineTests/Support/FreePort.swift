import Glibc

/// A port that nothing listens on now.
///
/// Below the range that Linux gives to outgoing connections, so that none of them takes it before its owner does.
func freePort() throws -> Int {
    for _ in 0..<200 {
        let port = Int.random(in: 24_100...31_999)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { continue }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return port }
    }
    throw NeverHappened(what: "a free port", seconds: 0)
}
