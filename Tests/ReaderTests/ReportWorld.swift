import Calendar
import Contracts
import HTTP
import Testing
import Wire

@testable import ReaderCore

/// Short spellings for the facts that tests of reports are made of.
extension DayBlock.Row {
    /// A session, or with `isSession: false` an activity.
    static func of(
        install: Int32,
        user: Int32 = 0,
        durationMs: Int32 = -1,
        context: Int32 = 1,
        isSession: Bool = true
    ) -> DayBlock.Row {
        DayBlock.Row(
            context: context,
            install: install,
            user: user,
            fromMs: 0,
            spanMs: 0,
            durationMs: durationMs,
            isSession: isSession
        )
    }
}

extension ReportDay {
    init(_ day: LocalDay, _ rows: [DayBlock.Row], zone: LocalZone = .utc) {
        self.init(day: day, bounds: zone.bounds(of: day), block: DayBlock(rows: rows))
    }
}

extension PeopleMap.FirstEvent {
    static func at(_ ms: Int64, insertID: UInt64 = 1, context: Int32 = 1) -> Self {
        Self(ms: ms, insertID: UUID128(high: 0, low: insertID), context: context)
    }

    static func on(_ day: LocalDay, context: Int32 = 1) -> Self {
        .at(LocalZone.utc.bounds(of: day).lowerBound, context: context)
    }
}

/// The dates of March 2026.
func march(_ day: Int) throws -> LocalDay {
    try #require(LocalDay(year: 2026, month: 3, day: day))
}

func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

/// What a request with this query is asked about.
func parameters(_ query: String) throws(ReadRefusal) -> ReportParameters {
    var parameters = try QueryParameters(query)
    let report = try ReportParameters(&parameters)
    try parameters.finish()
    return report
}

/// How a request is refused; nil when it is not.
func refusal(_ body: () throws(ReadRefusal) -> Void) -> ReadRefusal? {
    do throws(ReadRefusal) {
        try body()
        return nil
    } catch {
        return error
    }
}

/// The report a request with this query asks for.
func report<Report: AudienceAPI>(_ type: Report.Type, _ query: String) throws(ReadRefusal) -> Report {
    var parameters = try QueryParameters(query)
    let report = try Report(&parameters)
    try parameters.finish()
    return report
}

extension ReportSnapshot {
    init(
        _ data: ReportData,
        rows: [ReportDay] = [],
        zone: LocalZone = .utc,
        asOfMs: Int64,
        dataThroughMs: Int64 = 0
    ) {
        self.init(
            data: data,
            rows: rows,
            zone: zone,
            asOfMs: asOfMs,
            dataThroughMs: dataThroughMs,
            stateTag: "state"
        )
    }
}
