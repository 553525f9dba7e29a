/// The dimensions of which a frozen day keeps counts by value.
public enum TotalsDimension: String, Sendable, CaseIterable {
    /// The whole day.
    case total = ""
    case platform
    case osName = "os_name"
    case osVersion = "os_version"
    case appVersion = "app_version"
    case deviceModel = "device_model"
    case deviceType = "device_type"
    case country, city, locale
}

/// One row of `day_totals`: what stays of a day for ever.
public struct DayTotals: Sendable, Equatable {
    public var dimension: TotalsDimension
    /// Nil for the whole day, and where the value is absent.
    public var value: String?
    public var activePersons = 0
    public var activeInstalls = 0
    public var newPersons = 0
    public var newInstalls = 0
    public var sessions = 0
    public var sessionsEnded = 0
    public var durationMsSum: Int64 = 0

    public init(dimension: TotalsDimension, value: String? = nil) {
        self.dimension = dimension
        self.value = value
    }
}
