import Calendar
import Contracts
import JSON
import Wire

/// `GET /v1/apps/{app_id}/audience/timeseries`.
struct TimeseriesAPI: AudienceAPI {
    static let hourlyDaysMax = 7

    enum Split: String, CaseIterable {
        case platform, none
    }

    let parameters: ReportParameters
    let metric: AudienceSeries.Metric
    let granularity: SeriesBucket.Granularity
    let split: Split

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
        guard let name = try query.value("metric"), let metric = AudienceSeries.Metric(rawValue: name) else {
            throw ReadRefusal(.invalidRequest, field: "metric")
        }
        self.metric = metric
        granularity = try query.choice("granularity", default: .day)
        split = try query.choice("split", default: .none)
        guard granularity != .hour || parameters.span.count <= Self.hourlyDaysMax else {
            throw ReadRefusal(.rangeTooLarge, field: "to")
        }
    }

    var compares: Bool { parameters.compare == .previousPeriod && split == .none }

    var request: SnapshotRequest {
        let spans = compares ? [parameters.span.previous, parameters.span] : [parameters.span]
        return SnapshotRequest(
            spans: spans,
            rowSpans: granularity == .hour ? spans : [],
            dimensions: parameters.question.filter.dimensions.union(split == .platform ? [.platform] : [])
        )
    }

    func answer(_ snapshot: ReportSnapshot) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 256 + 64 * parameters.span.count)
        writer.beginObject()
        writer.key("metric")
        writer.string(metric.rawValue)
        writer.key("granularity")
        writer.string(granularity.rawValue)
        writer.writeSpan(parameters.span)
        writer.key("points")
        write(points(parameters.span, parameters.question, snapshot), snapshot, to: &writer)
        writer.key("compare")
        if compares {
            writer.beginObject()
            writer.writeSpan(parameters.span.previous)
            writer.key("points")
            write(points(parameters.span.previous, parameters.question, snapshot), snapshot, to: &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        if split == .platform { writeSplits(snapshot, to: &writer) }
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }

    struct Point {
        var startMs: Int64
        var value: Int64?
        var isComplete: Bool
    }

    func points(_ span: DaySpan, _ question: ReportQuestion, _ snapshot: ReportSnapshot) -> [Point] {
        if granularity == .hour { return hourlyPoints(span, question, snapshot) }
        let buckets = SeriesBucket.days(span, by: granularity, zone: snapshot.zone)
        let values = AudienceSeries.values(metric, snapshot.data, question, buckets.map(\.span))
        return zip(buckets, values).map { bucket, value in
            Point(
                startMs: bucket.startMs,
                value: value,
                isComplete: bucket.isWhole && bucket.endMs <= snapshot.asOfMs
            )
        }
    }

    private func hourlyPoints(_ span: DaySpan, _ question: ReportQuestion, _ snapshot: ReportSnapshot)
        -> [Point]
    {
        let rows = Dictionary(snapshot.rows.map { ($0.day, $0) }) { first, _ in first }
        return span.days.flatMap { day -> [Point] in
            let starts = snapshot.zone.hourStarts(of: day)
            let ends = starts.dropFirst() + [snapshot.zone.bounds(of: day).upperBound]
            let values =
                rows[day].map {
                    HourlySeries.values(metric, of: $0, starts: starts, snapshot.data, question)
                }
                ?? starts.map { _ in
                    HourlySeries.value(metric, ofDayWithoutRows: day, snapshot.data, question)
                }
            return zip(zip(starts, ends), values).map { hour, value in
                Point(startMs: hour.0, value: value, isComplete: hour.1 <= snapshot.asOfMs)
            }
        }
    }

    /// The platforms somebody used in the range, each with the question about it alone.
    func platforms(_ snapshot: ReportSnapshot) -> [(platform: String, question: ReportQuestion)] {
        let items = Breakdown.items(.platform, snapshot.data, parameters.question, parameters.span)
        return items.compactMap(\.value).map { platform in
            var question = parameters.question
            question.filter.values[.platform] = [platform]
            return (platform, question)
        }
    }

    /// One series for each platform.
    private func writeSplits(_ snapshot: ReportSnapshot, to writer: inout JSONWriter) {
        writer.key("splits")
        writer.beginArray()
        for (platform, question) in platforms(snapshot) {
            writer.beginObject()
            writer.key("platform")
            writer.string(platform)
            writer.key("points")
            write(points(parameters.span, question, snapshot), snapshot, to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ points: [Point], _ snapshot: ReportSnapshot, to writer: inout JSONWriter) {
        writer.beginArray()
        for point in points {
            writer.beginObject()
            writer.key("ts")
            writer.localTime(point.startMs, snapshot.zone)
            writer.key("value")
            writer.optional(point.value)
            if !point.isComplete {
                writer.key("complete")
                writer.bool(false)
            }
            writer.endObject()
        }
        writer.endArray()
    }
}

extension JSONWriter {
    mutating func writeSpan(_ span: DaySpan) {
        key("from")
        string(span.first.description)
        key("to")
        string(span.last.description)
    }

    /// An instant as the app's clocks showed it, with their offset.
    mutating func localTime(_ ms: Int64, _ zone: LocalZone) {
        string(RFC3339.format(ms: ms, offsetSeconds: zone.offsetSeconds(atMs: ms)))
    }
}
