import Contracts
import GeoIP

/// Which address country and city are looked up for.
enum ClientAddress: Hashable, Sendable {
    /// The one the request came from.
    case connection
    /// Named in `context.ip`; it wins over the connection's.
    case given(IPAddress)
    /// The client wants none, or what it gave is no address.
    case none
}

/// A context with every rule applied but geolocation, shared by the events that have it.
struct ResolvedContext: Hashable, Sendable {
    var context: EventContext
    var address: ClientAddress
    var warnings: [WarningCode]
}

/// Finds the context an event is stored with: the fields sent, the key's platform, the app's only one.
struct ContextResolver {
    let key: RegisteredKey

    enum Outcome {
        case resolved(ResolvedContext)
        /// Name of the field inside `context`.
        case invalid(field: String)
    }

    func resolve(_ partial: PartialContext) -> Outcome {
        var context = EventContext(environment: .production, platform: .other)
        var warnings: [WarningCode] = []
        switch partial.platform {
        case .valid(let platform): context.platform = platform
        case .invalid: return .invalid(field: "platform")
        case .absent:
            if let platform = key.platform ?? key.app.onlyPlatform {
                context.platform = platform
            } else {
                warnings.append(.platformMissing)
            }
        }
        switch partial.environment {
        case .valid(let environment): context.environment = environment
        case .invalid: return .invalid(field: "environment")
        case .absent: break
        }
        switch partial.deviceType {
        case .valid(let type): context.deviceType = type
        case .invalid: return .invalid(field: "device_type")
        case .absent: break
        }
        if let field = takeTexts(of: partial, into: &context) { return .invalid(field: field.rawValue) }
        let address = address(partial.address, warnings: &warnings)
        return .resolved(ResolvedContext(context: context, address: address, warnings: warnings))
    }

    /// Returns the first field that is invalid.
    private func takeTexts(of partial: PartialContext, into context: inout EventContext) -> ContextField? {
        func take(_ field: PartialContext.Field<String>, _ slot: inout String?) -> Bool {
            switch field {
            case .absent: return true
            case .valid(let text):
                slot = text
                return true
            case .invalid: return false
            }
        }
        if !take(partial.osName, &context.osName) { return .osName }
        if !take(partial.osVersion, &context.osVersion) { return .osVersion }
        if !take(partial.appVersion, &context.appVersion) { return .appVersion }
        if !take(partial.appBuild, &context.appBuild) { return .appBuild }
        if !take(partial.deviceModel, &context.deviceModel) { return .deviceModel }
        if !take(partial.locale, &context.locale) { return .locale }
        return nil
    }

    private func address(
        _ choice: PartialContext.Field<PartialContext.AddressChoice>,
        warnings: inout [WarningCode]
    ) -> ClientAddress {
        switch choice {
        case .absent, .invalid: return .connection
        case .valid(.none): return .none
        case .valid(.address(let address)): return .given(address)
        case .valid(.notAnAddress):
            warnings.append(.geoIPInvalid)
            return .none
        }
    }
}
