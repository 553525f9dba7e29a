import Contracts
public import Forwarding
import GeoIP
import HTTP

/// Fills country and city from an address that exists only for the length of one call.
public struct Geolocator: Sendable {
    private let source: GeoSource
    private let trustedProxies: TrustedProxies

    public init(source: GeoSource, trustedProxies: TrustedProxies) {
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

    func clientAddress(of head: HTTPRequestHead) -> IPAddress? { trustedProxies.clientAddress(of: head) }
}
