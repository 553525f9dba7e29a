import Calendar
import Contracts
import JSON
import Wire

/// `GET /v1/apps/{app_id}/audience/timeseries`, by day.
struct TimeseriesAPI {
    /// The metrics a series may show.
    enum Metric: String {
        case active, new, sessions
        case averageDurationMs = "avg_duration_ms"

        var audience: AudienceMetric {
            switch self {
            case .active: .active
            case .new: .new
            case .sessions: .sessions
            case .averageDurationMs: .averageDurationMs
            }
        }
    }

    enum Granularity: String {
        case day
    }

    let parameters: ReportParameters
    let metric: Metric
    let granularity: Granularity

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
        guard let name = try query.value("metric"), let metric = Metric(rawValue: name) else {
            throw ReadRefusal(.invalidRequest, field: "metric")
        }
        self.metric = metric
        granularity = try query.choice("granularity", default: .day)
        try query.finish()
    }

    var loadSpan: DaySpan {
        guard parameters.compare == .previousPeriod else { return parameters.span }
        return DaySpan(first: parameters.span.previous.first, last: parameters.span.last)
    }

    /// - Parameter zone: the app's; every date of the range gets exactly one point, with data or without.
    func answer(_ snapshot: ReportSnapshot, zone: LocalZone) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 256 + 64 * loadSpan.count)
        writer.beginObject()
        writer.key("metric")
        writer.string(metric.rawValue)
        writer.key("granularity")
        writer.string(granularity.rawValue)
        write(parameters.span, snapshot, zone, to: &writer)
        writer.key("compare")
        if parameters.compare == .previousPeriod {
            writer.beginObject()
            write(parameters.span.previous, snapshot, zone, to: &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }

    private func write(
        _ span: DaySpan,
        _ snapshot: ReportSnapshot,
        _ zone: LocalZone,
        to writer: inout JSONWriter
    ) {
        let closed = Dictionary(snapshot.data.days.map { ($0.day, $0) }) { first, _ in first }
        writer.key("from")
        writer.string(span.first.description)
        writer.key("to")
        writer.string(span.last.description)
        writer.key("points")
        writer.beginArray()
        for offset in 0..<span.count {
            let day = span.first.advanced(by: offset)
            let bounds = zone.bounds(of: day)
            // A date the zone skipped has no instant: there is nothing to show for it.
            guard !bounds.isEmpty else { continue }
            writePoint(closed[day], bounds, snapshot, zone, to: &writer)
        }
        writer.endArray()
    }

    private func writePoint(
        _ day: ReportDay?,
        _ bounds: Range<Int64>,
        _ snapshot: ReportSnapshot,
        _ zone: LocalZone,
        to writer: inout JSONWriter
    ) {
        let days = day.map { [$0] } ?? []
        let totals = AudienceReport.totals(snapshot.data, parameters.question, days: days)
        let offset = zone.offsetSeconds(atMs: bounds.lowerBound)
        writer.beginObject()
        writer.key("ts")
        writer.string(RFC3339.format(ms: bounds.lowerBound, offsetSeconds: offset))
        writer.key("value")
        writer.optional(metric.audience.value(of: totals))
        if bounds.upperBound > snapshot.asOfMs {
            writer.key("complete")
            writer.bool(false)
        }
        writer.endObject()
    }
}
