import Contracts

/// Which contexts a report looks at.
///
/// Values of one field are alternatives, fields must all match; a nil value stands for "absent".
public struct ReportFilter: Sendable, Equatable {
    public enum Field: String, Sendable, CaseIterable {
        case platform
        case appVersion = "app_version"
        case osName = "os_name"
        case country
    }

    public var values: [Field: Set<String?>]

    public init(_ values: [Field: Set<String?>] = [:]) {
        self.values = values
    }

    public var isEmpty: Bool { values.isEmpty }

    func matches(_ context: ReportContext) -> Bool {
        values.allSatisfy { field, allowed in allowed.contains(context[field]) }
    }
}

/// The dimension values a filter may ask about.
public struct ReportContext: Sendable, Equatable {
    public var platform: String
    public var appVersion: String?
    public var osName: String?
    public var country: String?

    public init(platform: String, appVersion: String? = nil, osName: String? = nil, country: String? = nil) {
        self.platform = platform
        self.appVersion = appVersion
        self.osName = osName
        self.country = country
    }

    subscript(field: ReportFilter.Field) -> String? {
        switch field {
        case .platform: platform
        case .appVersion: appVersion
        case .osName: osName
        case .country: country
        }
    }
}
