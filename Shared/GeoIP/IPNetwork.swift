/// A block of addresses in CIDR notation.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The first address; bits behind the prefix are zero.
    public let first: IPAddress
    /// Counted in 128 bits, IPv4 mapped.
    private let prefixBits: Int

    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or a lone address, which is a block of one.
    ///
    /// Bits behind the prefix are ignored, as in `10.1.2.3/8`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let isV4Text = !parts[0].contains(":")
        let bitsMax = isV4Text ? 32 : 128
        var bits = bitsMax
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            guard digits.count == 1 || digits.first != 0x30, let number = Int(parts[1]) else { return nil }
            bits = number
        }
        guard bits <= bitsMax else { return nil }
        self.init(address, prefixBits: isV4Text ? bits + 96 : bits)
    }

    init(_ address: IPAddress, prefixBits: Int) {
        self.prefixBits = prefixBits
        let (high, low) = Self.masks(prefixBits)
        first = IPAddress(high: address.high & high, low: address.low & low)
    }

    @inline(__always)
    public func contains(_ address: IPAddress) -> Bool {
        let (high, low) = Self.masks(prefixBits)
        return (address.high ^ first.high) & high == 0 && (address.low ^ first.low) & low == 0
    }

    public var description: String {
        let isV4 = first.isV4 && prefixBits >= 96
        return "\(first)/\(isV4 ? prefixBits - 96 : prefixBits)"
    }

    /// Smart shifts: a shift by 64 gives zero.
    @inline(__always)
    private static func masks(_ bits: Int) -> (high: UInt64, low: UInt64) {
        (~(UInt64.max >> UInt64(min(bits, 64))), ~(UInt64.max >> UInt64(max(bits - 64, 0))))
    }
}
