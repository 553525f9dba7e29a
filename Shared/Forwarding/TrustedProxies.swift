public import GeoIP
public import HTTP
public import ServiceKit

/// The proxies whose `X-Forwarded-For` is believed.
public struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    public init(_ networks: [IPNetwork] = []) {
        self.networks = networks
    }

    /// Reads the setting `name`: networks, divided by commas.
    public init(_ name: String, _ reader: inout SettingsReader) {
        let texts = reader.list(
            name,
            default: [],
            help: "Networks whose X-Forwarded-For is believed, such as 10.0.0.0/8."
        )
        networks = texts.compactMap { text in
            guard let network = IPNetwork(text) else {
                reader.problem(name, "must hold networks such as 10.0.0.0/8, not '\(text)'")
                return nil
            }
            return network
        }
    }

    /// The peer, or the right-most hop of `X-Forwarded-For` that is not one of ours when the peer is a trusted proxy.
    ///
    /// Counted from the right because everything further left was written by somebody we do not know. Nil for a hop that is no address.
    public func clientAddress(of head: HTTPRequestHead) -> IPAddress? {
        guard let peer = head.peer.bytes.withUnsafeBytes({ IPAddress(bytes: $0) }) else { return nil }
        guard contains(peer) else { return peer }
        let hops = head.headers.values("X-Forwarded-For").joined(separator: ",").split(separator: ",")
        for hop in hops.reversed() {
            guard let address = IPAddress.parseForwarded(String(hop)) else { return nil }
            if !contains(address) { return address }
        }
        return peer
    }

    private func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}
