import Calendar
import Contracts
import JSON
import Wire

/// `GET /v1/apps/{app_id}/audience/summary`.
struct SummaryAPI {
    let parameters: ReportParameters

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
        try query.finish()
    }

    /// The days to read: those asked for, and those compared with.
    var loadSpan: DaySpan {
        guard parameters.compare == .previousPeriod else { return parameters.span }
        return DaySpan(first: parameters.span.previous.first, last: parameters.span.last)
    }

    func answer(_ snapshot: ReportSnapshot) -> [UInt8] {
        let current = totals(snapshot, parameters.span)
        var writer = JSONWriter(reservingBytes: 640)
        writer.beginObject()
        write(parameters.span, current, to: &writer)
        writer.key("compare")
        if parameters.compare == .previousPeriod {
            let base = totals(snapshot, parameters.span.previous)
            writer.beginObject()
            write(parameters.span.previous, base, to: &writer)
            writer.key("delta_pct")
            writeDelta(from: base, to: current, &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }

    private func totals(_ snapshot: ReportSnapshot, _ span: DaySpan) -> AudienceTotals {
        let days = snapshot.data.days.filter { $0.day >= span.first && $0.day <= span.last }
        return AudienceReport.totals(snapshot.data, parameters.question, days: days)
    }

    private func write(_ span: DaySpan, _ totals: AudienceTotals, to writer: inout JSONWriter) {
        writer.key("from")
        writer.string(span.first.description)
        writer.key("to")
        writer.string(span.last.description)
        for metric in AudienceMetric.allCases {
            writer.key(metric.rawValue)
            writer.optional(metric.value(of: totals))
        }
    }

    private func writeDelta(from base: AudienceTotals, to current: AudienceTotals, _ writer: inout JSONWriter)
    {
        writer.beginObject()
        for metric in AudienceMetric.allCases {
            writer.key(metric.rawValue)
            if let percent = Change.percent(from: metric.value(of: base), to: metric.value(of: current)) {
                writer.double(percent)
            } else {
                writer.null()
            }
        }
        writer.endObject()
    }
}

/// The figures of the audience, by the names of the contract.
enum AudienceMetric: String, CaseIterable {
    case active, new, sessions
    case averageDurationMs = "avg_duration_ms"
    case medianDurationMs = "median_duration_ms"

    func value(of totals: AudienceTotals) -> Int64? {
        switch self {
        case .active: Int64(totals.active)
        case .new: Int64(totals.new)
        case .sessions: Int64(totals.sessions)
        case .averageDurationMs: totals.averageDurationMs
        case .medianDurationMs: totals.medianDurationMs
        }
    }
}

extension JSONWriter {
    mutating func optional(_ value: Int64?) {
        if let value { int64(value) } else { null() }
    }

    /// When the answer was computed, and up to when everything stored is in it.
    mutating func writeFreshness(_ snapshot: ReportSnapshot) {
        key("as_of")
        string(RFC3339.format(ms: snapshot.asOfMs))
        key("data_through")
        string(RFC3339.format(ms: snapshot.dataThroughMs))
    }
}
