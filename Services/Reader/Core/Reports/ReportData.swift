public import Calendar
public import Wire

/// A closed day as its row tells it.
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

/// Everything a report is computed from, as it was at one moment.
public struct ReportData: Sendable {
    /// In order of their dates.
    let days: [ResolvedDay]
    let people: PeopleMap
    let contexts: ContextTable
    /// Days of which only totals are kept.
    let frozen: FrozenTotals

    init(
        days: [ResolvedDay],
        people: PeopleMap,
        contexts: ContextTable,
        frozen: FrozenTotals = FrozenTotals()
    ) {
        self.frozen = frozen
        self.days = days
        self.people = people
        self.contexts = contexts
    }

    public init(days: [ReportDay], people: PeopleMap, contexts: [Int32: ReportContext]) {
        let table = ContextTable(contexts)
        self.days = days.sorted { $0.day < $1.day }.map {
            var day = ResolvedDay($0, people: people)
            day.place(in: table)
            return day
        }
        self.people = people
        self.contexts = table
        frozen = FrozenTotals()
    }

    /// The days of a span that have been closed.
    func days(from first: LocalDay, through last: LocalDay) -> ArraySlice<ResolvedDay> {
        let start = partition { $0 >= first }
        let end = partition { $0 > last }
        return days[start..<max(start, end)]
    }

    private func partition(_ isBehind: (LocalDay) -> Bool) -> Int {
        var (low, high) = (0, days.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(days[middle].day) { high = middle } else { low = middle + 1 }
        }
        return low
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
