import GeoIP
import Testing

@Suite struct IPAddressTests {
    static let spellings: [(String, String)] = [
        ("1.2.3.4", "1.2.3.4"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
        ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:1.2.3.4", "1.2.3.4"),
        ("::FFFF:0102:0304", "1.2.3.4"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "2001:db8:85a3::8a2e:370:7334"),
    ]

    @Test(arguments: spellings)
    func readsAndWrites(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", " ", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "[::1]",
        "::1%eth0",
        "1", "0x7f.0.0.1", "1.2.3.4\0", "1.2.3.4\05", ":::", "2001:db8::1::2", "12345::", "localhost",
        "１.2.3.4",
        "0000:0000:0000:0000:0000:ffff:255.255.255.2551", "1.2.3.4/32",
    ])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func takesBytes() {
        let v4 = ([1, 2, 3, 4] as [UInt8]).withUnsafeBytes { IPAddress(bytes: $0) }
        #expect(v4 == IPAddress("1.2.3.4"))
        #expect(v4 == IPAddress(v4: 0x0102_0304))
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4]
        #expect(mapped.withUnsafeBytes { IPAddress(bytes: $0) } == v4)
        #expect(v4?.bytes == mapped)
        #expect([UInt8](repeating: 0, count: 5).withUnsafeBytes { IPAddress(bytes: $0) } == nil)
    }

    static let hops: [(String, String?)] = [
        ("1.2.3.4", "1.2.3.4"), ("1.2.3.4:5678", "1.2.3.4"), (" 1.2.3.4 ", "1.2.3.4"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"), ("\"[::1]:1\"", "::1"),
        ("[::ffff:1.2.3.4]:1", "1.2.3.4"), ("1.2.3.4:", nil), ("1.2.3.4:65536", nil), ("1.2.3.4:-1", nil),
        ("1.2.3.4:80x", nil), ("[1.2.3.4]:80", nil), ("[::1]x", nil), ("[::1", nil), ("::1]", nil),
        ("unknown", nil),
        ("_hidden", nil), ("", nil), (":80", nil), ("\"", nil), ("[]", nil), ("[]:1", nil),
        ("1.2.3.4:80:90", nil),
    ]

    @Test(arguments: hops)
    func readsForwardedHops(text: String, address: String?) {
        #expect(IPAddress.parseForwarded(text)?.description == address)
    }

    @Test(arguments: [
        "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
        "::ffff:10.0.0.1",
        "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "2001::1", "2001:20::1", "3fff::1",
        "100::1",
        "64:ff9b::808:808", "2002:a00:1::1", "fec0::1", "4000::1", "::8.8.8.8",
    ])
    func isNotPublic(text: String) throws {
        #expect(!(try #require(IPAddress(text)).isPublic))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "192.0.1.1", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "::ffff:8.8.8.8", "2001:4860:4860::8888", "2a00::1", "2001:200::1", "2002:808:808::1", "3ffe::1",
    ])
    func isPublic(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    static let networks: [(String, String, Bool)] = [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.1.2.3/8", "10.200.0.1", true),
        ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "1.2.3.5", false), ("0.0.0.0/0", "200.1.2.3", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true),
        ("2001:db8::/32", "2001:db9::1", false), ("2001:db8::/64", "2001:db8:0:1::", false),
        ("2001:db8::1", "2001:db8::2", false), ("::ffff:10.0.0.0/104", "10.9.9.9", true),
        ("172.16.0.0/12", "172.31.255.255", true), ("172.16.0.0/12", "172.32.0.0", false),
        ("192.168.1.128/25", "192.168.1.127", false), ("2001:db8::8000:0:0:0/65", "2001:db8::", false),
    ]

    @Test(arguments: networks)
    func aNetworkContainsItsOwn(network: String, address: String, isInside: Bool) throws {
        let network = try #require(IPNetwork(network))
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8/8",
        "10.0.0/8", "10.0.0.0/8 ", "example.org/8", "10.0.0.0/1000",
    ])
    func refusesNetwork(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(arguments: [
        ("10.1.2.3/8", "10.0.0.0/8"), ("2001:DB8::1/32", "2001:db8::/32"), ("1.2.3.4", "1.2.3.4/32"),
    ])
    func aNetworkIsWrittenByItsFirstAddress(text: String, canonical: String) {
        #expect(IPNetwork(text)?.description == canonical)
    }
}
