public import Calendar
public import Wire

/// A closed day as reports see it.
public struct ReportDay: Sendable {
    public let day: LocalDay
    /// First instant and first instant after it, in milliseconds.
    public let bounds: Range<Int64>
    public let block: DayBlock

    public init(day: LocalDay, bounds: Range<Int64>, block: DayBlock) {
        self.day = day
        self.bounds = bounds
        self.block = block
    }
}

/// Everything a report is computed from, read at one moment.
public struct ReportData: Sendable {
    public let days: [ReportDay]
    public let people: PeopleMap
    public let contexts: [Int32: ReportContext]

    public init(days: [ReportDay], people: PeopleMap, contexts: [Int32: ReportContext]) {
        self.days = days
        self.people = people
        self.contexts = contexts
    }
}

/// What a report is asked about, apart from its days.
public struct ReportQuestion: Sendable {
    public var unit: ReportUnit
    public var filter: ReportFilter

    public init(unit: ReportUnit = .persons, filter: ReportFilter = ReportFilter()) {
        self.unit = unit
        self.filter = filter
    }
}
