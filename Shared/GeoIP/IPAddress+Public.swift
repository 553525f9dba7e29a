extension IPAddress {
    /// Whether the address can be somebody's on the internet.
    ///
    /// False for everything that IANA's special-purpose registries keep: private, loopback, link-local,
    /// shared by carriers, documentation, benchmarks, multicast, reserved. In doubt false, as such an address
    /// has no place.
    public var isPublic: Bool {
        if isV4 { return !Self.reservedV4.contains { $0.contains(self) } }
        guard Self.globalUnicast.contains(self) else { return false }
        // 6to4 carries its site's IPv4 address in front.
        if high >> 48 == 0x2002 { return IPAddress(v4: UInt32(truncatingIfNeeded: high >> 16)).isPublic }
        return !Self.reservedV6.contains { $0.contains(self) }
    }

    private static let reservedV4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { IPNetwork($0) }

    /// All that IANA has opened of IPv6; loopback, ULA, link-local and multicast lie outside.
    private static let globalUnicast = IPNetwork(IPAddress(high: 0x2000 << 48, low: 0), prefixBits: 3)

    /// Teredo and other protocols' own addresses, and the two blocks for documentation.
    private static let reservedV6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].compactMap { IPNetwork($0) }
}
