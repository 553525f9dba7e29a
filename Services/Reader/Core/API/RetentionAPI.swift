import Calendar
import Contracts
import JSON

/// `GET /v1/apps/{app_id}/retention`.
struct RetentionAPI: AudienceAPI {
    /// How many days or weeks a cohort is followed unless `periods` says otherwise.
    static let dayPeriods = 30
    static let weekPeriods = 12
    static let periodsRange = 1...90

    let parameters: ReportParameters
    let length: Retention.CohortLength
    let periods: Int

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
        length = try query.choice("cohort", default: .day)
        let fallback = length == .day ? Self.dayPeriods : Self.weekPeriods
        periods = try query.integer("periods", default: fallback, in: Self.periodsRange)
    }

    private var stepDays: Int { length == .day ? 1 : 7 }

    var request: SnapshotRequest {
        let last = parameters.span.last.advanced(by: (periods + 1) * stepDays)
        return SnapshotRequest(
            spans: [DaySpan(first: parameters.span.first, last: last)],
            dimensions: parameters.question.filter.dimensions
        )
    }

    func cohorts(_ snapshot: ReportSnapshot) -> [Retention.Cohort] {
        let granularity: SeriesBucket.Granularity = length == .day ? .day : .week
        let spans =
            length == .day
            ? parameters.span.days.map { DaySpan(first: $0, last: $0) }
            : SeriesBucket.days(parameters.span, by: granularity, zone: snapshot.zone).map(\.span)
        return Retention.cohorts(
            length,
            spans,
            snapshot.data,
            parameters.question,
            periods: periods,
            isOver: { snapshot.zone.bounds(of: $0).upperBound <= snapshot.asOfMs }
        ).filter { snapshot.zone.bounds(of: $0.first).lowerBound <= snapshot.asOfMs }
    }

    func answer(_ snapshot: ReportSnapshot) -> [UInt8] {
        let cohorts = cohorts(snapshot)
        var writer = JSONWriter(reservingBytes: 256 + cohorts.count * (periods + 4) * 12)
        writer.beginObject()
        writer.key("cohort")
        writer.string(length.rawValue)
        writer.writeSpan(parameters.span)
        writer.key("cohorts")
        writer.beginArray()
        for cohort in cohorts {
            writer.beginObject()
            writer.writeSpan(DaySpan(first: cohort.first, last: cohort.last))
            writer.key("size")
            writer.optional(cohort.size.map(Int64.init))
            writer.key("retention")
            writer.beginArray()
            for returned in cohort.returned {
                if let returned { writer.share(returned, of: cohort.size) } else { writer.null() }
            }
            writer.endArray()
            writer.key("returned")
            writer.beginArray()
            for returned in cohort.returned { writer.optional(returned.map(Int64.init)) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.key("average")
        writer.beginArray()
        for period in 0...periods { writeAverage(cohorts, period, to: &writer) }
        writer.endArray()
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }

    /// Over all people of the cohorts whose period has ended: large cohorts weigh more.
    private func writeAverage(_ cohorts: [Retention.Cohort], _ period: Int, to writer: inout JSONWriter) {
        let ended = cohorts.filter { $0.returned[period] != nil }
        let size = ended.reduce(0) { $0 + ($1.size ?? 0) }
        writer.share(ended.reduce(0) { $0 + ($1.returned[period] ?? 0) }, of: size)
    }
}
