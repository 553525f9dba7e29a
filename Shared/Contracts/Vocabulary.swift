/// The two events an app sends.
public enum EventName: String, Sendable, CaseIterable {
    case sessionStart = "session_start"
    case sessionEnd = "session_end"

    /// The number stored in `events.kind`.
    public var code: Int16 {
        switch self {
        case .sessionStart: 1
        case .sessionEnd: 2
        }
    }
}

/// The fixed set of platforms; a device without one of its own uses that of its family.
public enum Platform: String, Sendable, CaseIterable {
    case ios, android, web, macos, windows, linux, bot, server, other
}

/// What kind of device an event came from.
public enum DeviceType: String, Sendable, CaseIterable {
    case phone, tablet, desktop, tv, watch, server, bot, unknown
}

/// Separate worlds: identity, first events and reports of one know nothing of the other.
public enum AppEnvironment: String, Sendable, CaseIterable {
    case production, development

    /// The number stored in tables.
    public var code: Int16 {
        switch self {
        case .production: 0
        case .development: 1
        }
    }

    public init?(code: Int16) {
        switch code {
        case 0: self = .production
        case 1: self = .development
        default: return nil
        }
    }
}

/// Whether an app takes events.
public enum AppStatus: String, Sendable, CaseIterable {
    case active, archived
    /// Its events are on their way to another app; it takes none and no report shows it.
    case merging
    /// Its rows are on their way out; the same.
    case deleting
}

/// What a secret `sk_` key may do.
public enum APIKeyScope: String, Sendable, CaseIterable {
    case read, delete
}

/// The spelling of keys: a prefix that tells write keys from secret ones at a glance.
public enum KeyPrefix {
    public static let write = "pk_"
    public static let secret = "sk_"
}
