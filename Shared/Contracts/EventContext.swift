/// The technical circumstances of an event, after merging and geolocation.
///
/// `nil` means absent; an empty string never occurs. There is no field for an address: it is used in memory for the look-up
/// of country and city and goes no further.
public struct EventContext: Hashable, Sendable {
    public var environment: AppEnvironment
    public var platform: Platform
    public var osName: String?
    public var osVersion: String?
    public var appVersion: String?
    public var appBuild: String?
    public var deviceModel: String?
    public var deviceType: DeviceType?
    public var locale: String?
    /// ISO 3166-1 alpha-2.
    public var country: String?
    /// English name.
    public var city: String?

    public init(environment: AppEnvironment, platform: Platform) {
        self.environment = environment
        self.platform = platform
    }
}

/// The text fields a client may set in `context`, with their bounds in Unicode scalars.
public enum ContextField: String, Sendable, CaseIterable {
    case osName = "os_name"
    case osVersion = "os_version"
    case appVersion = "app_version"
    case appBuild = "app_build"
    case deviceModel = "device_model"
    case locale

    public var scalarsMax: Int {
        switch self {
        case .osName, .osVersion, .appVersion, .appBuild: 64
        case .deviceModel: 128
        case .locale: 35
        }
    }

    /// Where the value lives once it has been checked.
    public var keyPath: any WritableKeyPath<EventContext, String?> & Sendable {
        switch self {
        case .osName: \.osName
        case .osVersion: \.osVersion
        case .appVersion: \.appVersion
        case .appBuild: \.appBuild
        case .deviceModel: \.deviceModel
        case .locale: \.locale
        }
    }
}
