import Glibc

/// The other end of a connection.
///
/// Always 16 bytes; an IPv4 address is held as its IPv6 mapping, so that one list of networks fits both.
public struct HTTPPeer: Sendable, Hashable, CustomStringConvertible {
    /// The address as two big-endian halves.
    public let high: UInt64
    public let low: UInt64
    public let port: UInt16

    public init(high: UInt64, low: UInt64, port: UInt16) {
        self.high = high
        self.low = low
        self.port = port
    }

    /// Reads a textual IPv4 or IPv6 address.
    public init?(_ text: String, port: UInt16 = 0) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4, port: port)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6, port: port)
        } else {
            return nil
        }
    }

    init(_ address: in_addr, port: UInt16) {
        let mapped: UInt64 = 0xFFFF_0000_0000
        self.init(high: 0, low: mapped | UInt64(UInt32(bigEndian: address.s_addr)), port: port)
    }

    init(_ address: in6_addr, port: UInt16) {
        let halves = unsafeBitCast(address, to: (UInt64, UInt64).self)
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1), port: port)
    }

    /// Nil for a socket that is neither IPv4 nor IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let v4 = raw.loadUnaligned(as: sockaddr_in.self)
            self.init(v4.sin_addr, port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            let v6 = raw.loadUnaligned(as: sockaddr_in6.self)
            self.init(v6.sin6_addr, port: UInt16(bigEndian: v6.sin6_port))
        default:
            return nil
        }
    }

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// 16 bytes in network order.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// The address without its port: dotted for IPv4, else as RFC 5952 says.
    public var description: String {
        if isIPv4 {
            return (0..<4).map { String(UInt8(truncatingIfNeeded: low >> (24 - 8 * $0))) }
                .joined(separator: ".")
        }
        let octets = bytes
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            inet_ntop(AF_INET6, octets, text.baseAddress, socklen_t(text.count))
                .map { String(cString: $0) } ?? ""
        }
    }
}
