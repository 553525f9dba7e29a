import Contracts
import GeoIP
import JSON

/// One `context` object as it was sent: each field absent, valid or invalid.
///
/// Invalid is a state and not an error, because an event may override a field that its batch has wrong.
struct PartialContext: Equatable {
    enum Field<Value: Sendable & Equatable>: Equatable, Sendable {
        case absent
        case valid(Value)
        case invalid
    }

    /// What `context.ip` asks for; see `ClientAddress` for what comes of it.
    enum AddressChoice: Equatable, Sendable {
        case none
        case address(IPAddress)
        /// Accepted with a warning.
        case notAnAddress
    }

    var environment: Field<AppEnvironment> = .absent
    var platform: Field<Platform> = .absent
    var deviceType: Field<DeviceType> = .absent
    var osName: Field<String> = .absent
    var osVersion: Field<String> = .absent
    var appVersion: Field<String> = .absent
    var appBuild: Field<String> = .absent
    var deviceModel: Field<String> = .absent
    var locale: Field<String> = .absent
    var address: Field<AddressChoice> = .absent
    /// A field named twice: readers differ in which one they believe.
    var hasDuplicate = false

    init() {}

    /// - Parameter value: an object.
    init(_ value: JSONValue) {
        for (key, field) in value.members {
            if key.isEqual(to: "platform") {
                Self.set(&platform, Self.choice(field), &hasDuplicate)
            } else if key.isEqual(to: "os_name") {
                Self.set(&osName, Self.text(field, .osName), &hasDuplicate)
            } else if key.isEqual(to: "os_version") {
                Self.set(&osVersion, Self.text(field, .osVersion), &hasDuplicate)
            } else if key.isEqual(to: "app_version") {
                Self.set(&appVersion, Self.text(field, .appVersion), &hasDuplicate)
            } else if key.isEqual(to: "app_build") {
                Self.set(&appBuild, Self.text(field, .appBuild), &hasDuplicate)
            } else if key.isEqual(to: "device_model") {
                Self.set(&deviceModel, Self.text(field, .deviceModel), &hasDuplicate)
            } else if key.isEqual(to: "device_type") {
                Self.set(&deviceType, Self.choice(field), &hasDuplicate)
            } else if key.isEqual(to: "locale") {
                Self.set(&locale, Self.text(field, .locale), &hasDuplicate)
            } else if key.isEqual(to: "environment") {
                Self.set(&environment, Self.choice(field), &hasDuplicate)
            } else if key.isEqual(to: "ip") {
                Self.set(&address, Self.address(field), &hasDuplicate)
            }
        }
    }

    /// Takes each field of `other` that is there.
    func overridden(by other: PartialContext) -> PartialContext {
        var merged = self
        merged.environment.take(other.environment)
        merged.platform.take(other.platform)
        merged.deviceType.take(other.deviceType)
        merged.osName.take(other.osName)
        merged.osVersion.take(other.osVersion)
        merged.appVersion.take(other.appVersion)
        merged.appBuild.take(other.appBuild)
        merged.deviceModel.take(other.deviceModel)
        merged.locale.take(other.locale)
        merged.address.take(other.address)
        return merged
    }

    private static func set<Value>(
        _ slot: inout Field<Value>,
        _ value: Field<Value>,
        _ hasDuplicate: inout Bool
    ) {
        if slot != .absent { hasDuplicate = true }
        slot = value
    }

    private static func choice<Value: RawRepresentable & Sendable & Equatable>(
        _ value: JSONValue
    ) -> Field<Value> where Value.RawValue == String {
        if value.isNull { return .absent }
        guard value.isString else { return .invalid }
        if value.utf8.isEmpty { return .absent }
        return value.string.flatMap(Value.init(rawValue:)).map { .valid($0) } ?? .invalid
    }

    private static func text(_ value: JSONValue, _ field: ContextField) -> Field<String> {
        if value.isNull { return .absent }
        guard value.isString else { return .invalid }
        let utf8 = value.utf8
        if utf8.isEmpty { return .absent }
        guard TextRule.isClean(utf8), TextRule.scalars(in: utf8) <= field.scalarsMax else { return .invalid }
        return .valid(String(decoding: utf8, as: UTF8.self))
    }

    private static func address(_ value: JSONValue) -> Field<AddressChoice> {
        if value.isNull { return .absent }
        guard let text = value.string else { return .valid(.notAnAddress) }
        if text.isEmpty { return .absent }
        if text == "none" { return .valid(.none) }
        return .valid(IPAddress(text).map { .address($0) } ?? .notAnAddress)
    }
}

extension PartialContext.Field {
    /// What was sent, if it can be used.
    var value: Value? {
        if case .valid(let value) = self { value } else { nil }
    }

    fileprivate mutating func take(_ other: Self) {
        if other != .absent { self = other }
    }
}
