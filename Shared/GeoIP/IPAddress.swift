import Glibc

/// An address of either family.
///
/// `::ffff:1.2.3.4` is the IPv4 address 1.2.3.4: sockets of both families show IPv4 peers like that.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 128 bits, IPv4 mapped to `::ffff:0:0/96`.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public init(v4: UInt32) {
        self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(v4))
    }

    /// Takes 4 or 16 bytes in network order; nil for any other number.
    public init?(bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 4:
            self.init(v4: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
        case 16:
            self.init(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        default:
            return nil
        }
    }

    /// Reads an address and nothing else: no brackets, port, zone, blanks, or leading zeros in IPv4.
    public init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8.prefix(Int(INET6_ADDRSTRLEN)))
        guard utf8.count < Int(INET6_ADDRSTRLEN), !utf8.contains(0) else { return nil }
        self.init(nulTerminated: utf8 + [0])
    }

    /// Reads one hop of `X-Forwarded-For` as proxies write them: `1.2.3.4:5678`, `[2001:db8::1]:443`, quotes.
    ///
    /// An IPv6 address with a port but without brackets cannot be told from a longer address and reads as
    /// one.
    public static func parseForwarded(_ text: some StringProtocol) -> IPAddress? {
        var hop = Array(text.utf8.prefix(100))[...]
        while let last = hop.last, isBlank(last) { hop.removeLast() }
        while let first = hop.first, isBlank(first) { hop.removeFirst() }
        if hop.count >= 2, hop.first == UInt8(ascii: "\""), hop.last == UInt8(ascii: "\"") {
            hop = hop.dropFirst().dropLast()
        }
        if hop.first == UInt8(ascii: "[") {
            guard let close = hop.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let rest = hop[(close + 1)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            let inside = String(decoding: hop[(hop.startIndex + 1)..<close], as: UTF8.self)
            // Brackets are for addresses with colons.
            return inside.contains(":") ? IPAddress(inside) : nil
        }
        let colons = hop.indices.filter { hop[$0] == UInt8(ascii: ":") }
        if colons.count == 1, let colon = colons.first {
            guard isPort(hop[colon...]) else { return nil }
            hop = hop[..<colon]
        }
        return IPAddress(String(decoding: hop, as: UTF8.self))
    }

    public var isV4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The 16 bytes in network order, IPv4 mapped.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// The usual shortest form (RFC 5952).
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isV4 {
            var address = UInt32(truncatingIfNeeded: low).bigEndian
            _ = inet_ntop(AF_INET, &address, &text, UInt32(text.count))
        } else {
            var address = (high.bigEndian, low.bigEndian)
            _ = inet_ntop(AF_INET6, &address, &text, UInt32(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private init?(nulTerminated text: [UInt8]) {
        // glibc's `inet_pton` is strict; `inet_aton` and `getaddrinfo` would take `1.2` or `0x7f.1`.
        var words: (UInt64, UInt64) = (0, 0)
        let isV6 = text.contains(UInt8(ascii: ":"))
        let status = text.withUnsafeBytes { text in
            inet_pton(isV6 ? AF_INET6 : AF_INET, text.assumingMemoryBound(to: CChar.self).baseAddress, &words)
        }
        guard status == 1 else { return nil }
        if isV6 {
            self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
        } else {
            self.init(v4: UInt32(truncatingIfNeeded: UInt64(bigEndian: words.0) >> 32))
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func isPort(_ suffix: ArraySlice<UInt8>) -> Bool {
        guard suffix.first == UInt8(ascii: ":"), (2...6).contains(suffix.count) else { return false }
        let digits = suffix.dropFirst()
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return false
        }
        return UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }
}
