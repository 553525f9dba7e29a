import Contracts
public import GeoIP
import HTTP

/// Fills country and city from an address that exists only for the length of one call.
public struct Geolocator: Sendable {
    private let source: GeoSource
    private let trustedProxies: [IPNetwork]

    public init(source: GeoSource, trustedProxies: [IPNetwork]) {
        self.source = source
        self.trustedProxies = trustedProxies
    }

    func locate(_ contexts: [ResolvedContext], of head: HTTPRequestHead) -> [EventContext] {
        guard let database = source.current else { return contexts.map(\.context) }
        return contexts.map { resolved in
            let address: IPAddress? =
                switch resolved.address {
                case .given(let address): address
                case .connection: clientAddress(of: head)
                case .none: nil
                }
            guard let address else { return resolved.context }
            return Self.locate(resolved.context, at: address, in: database)
        }
    }

    /// The context with the place of an address, as far as the database knows one.
    static func locate(
        _ context: EventContext,
        at address: IPAddress,
        in database: GeoDatabase
    ) -> EventContext {
        // Private and reserved addresses say nothing about a place.
        guard address.isPublic, let place = database.lookup(address) else { return context }
        var context = context
        context.country = place.country
        context.city = place.city
        return context
    }

    /// The peer, or the right-most hop of `X-Forwarded-For` that is not one of ours when the peer is a trusted proxy.
    ///
    /// Counted from the right because everything further left was written by somebody we do not know.
    func clientAddress(of head: HTTPRequestHead) -> IPAddress? {
        guard let peer = head.peer.bytes.withUnsafeBytes({ IPAddress(bytes: $0) }) else { return nil }
        guard isTrusted(peer) else { return peer }
        let hops = head.headers.values("X-Forwarded-For").joined(separator: ",").split(separator: ",")
        for hop in hops.reversed() {
            guard let address = IPAddress.parseForwarded(String(hop)) else { return nil }
            if !isTrusted(address) { return address }
        }
        return peer
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }
}
