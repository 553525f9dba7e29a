import Calendar
import Contracts

/// The parameters all audience reports share.
struct ReportParameters {
    static let daysMax = 366

    enum Compare: String, CaseIterable {
        case previousPeriod = "previous_period"
        case none
    }

    let span: DaySpan
    let environment: AppEnvironment
    let question: ReportQuestion
    let compare: Compare

    /// Reports that are never compared take `compare` too, without effect: it is common to all.
    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        let first = try query.day("from")
        let last = try query.day("to")
        guard first <= last else { throw ReadRefusal(.invalidRequest, field: "to") }
        span = DaySpan(first: first, last: last)
        guard span.count <= Self.daysMax else { throw ReadRefusal(.rangeTooLarge, field: "to") }
        environment = try query.choice("environment", default: .production)
        let unit: ReportUnit = try query.choice("unit", default: .persons)
        var values: [ReportFilter.Field: Set<String?>] = [:]
        for field in ReportFilter.Field.allCases {
            let given = query.values(field.rawValue)
            guard !given.isEmpty else { continue }
            if field == .platform, given.contains(where: { Platform(rawValue: $0) == nil }) {
                throw ReadRefusal(.invalidRequest, field: field.rawValue)
            }
            // The empty value asks for events that have none.
            values[field] = Set(given.map { $0.isEmpty ? nil : $0 })
        }
        question = ReportQuestion(unit: unit, filter: ReportFilter(values))
        compare = try query.choice("compare", default: .previousPeriod)
    }
}
