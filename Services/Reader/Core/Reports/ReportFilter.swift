import Contracts

/// A dimension a report can be broken down by.
public enum ReportDimension: String, Sendable, CaseIterable {
    case platform
    case osName = "os_name"
    case osVersion = "os_version"
    case appVersion = "app_version"
    case deviceModel = "device_model"
    case deviceType = "device_type"
    case country, city, locale
}

/// Which contexts a report looks at.
///
/// Values of one field are alternatives, fields must all match; a nil value stands for "absent".
public struct ReportFilter: Sendable, Equatable {
    public enum Field: String, Sendable, CaseIterable {
        case platform
        case appVersion = "app_version"
        case osName = "os_name"
        case country

        var dimension: ReportDimension {
            switch self {
            case .platform: .platform
            case .appVersion: .appVersion
            case .osName: .osName
            case .country: .country
            }
        }
    }

    public var values: [Field: Set<String?>]

    public init(_ values: [Field: Set<String?>] = [:]) {
        self.values = values
    }

    public var isEmpty: Bool { values.isEmpty }

    func matches(_ context: ReportContext) -> Bool {
        values.allSatisfy { field, allowed in allowed.contains(context[field.dimension]) }
    }
}

/// The dimension values of a context.
public struct ReportContext: Sendable, Equatable {
    /// In the order of `ReportDimension`.
    private var values: [String?]

    public init(
        platform: String,
        appVersion: String? = nil,
        osName: String? = nil,
        country: String? = nil
    ) {
        values = Array(repeating: nil, count: ReportDimension.allCases.count)
        self[.platform] = platform
        self[.appVersion] = appVersion
        self[.osName] = osName
        self[.country] = country
    }

    public subscript(dimension: ReportDimension) -> String? {
        get { values[dimension.position] }
        set { values[dimension.position] = newValue }
    }
}

extension ReportDimension {
    fileprivate var position: Int {
        switch self {
        case .platform: 0
        case .osName: 1
        case .osVersion: 2
        case .appVersion: 3
        case .deviceModel: 4
        case .deviceType: 5
        case .country: 6
        case .city: 7
        case .locale: 8
        }
    }
}
