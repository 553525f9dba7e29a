import Calendar
import Contracts
import JSON

/// `GET /v1/apps/{app_id}/audience/rolling-active`.
struct RollingActiveAPI: AudienceAPI {
    let parameters: ReportParameters

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
    }

    var request: SnapshotRequest {
        let first = parameters.span.first.advanced(by: 1 - RollingActive.monthDays)
        return SnapshotRequest(
            spans: [DaySpan(first: first, last: parameters.span.last)],
            dimensions: parameters.question.filter.dimensions
        )
    }

    func answer(_ snapshot: ReportSnapshot) -> [UInt8] {
        let points = RollingActive.points(
            snapshot.data,
            parameters.question,
            from: parameters.span.first,
            through: parameters.span.last
        )
        var writer = JSONWriter(reservingBytes: 256 + 96 * points.count)
        writer.beginObject()
        writer.writeSpan(parameters.span)
        writer.key("points")
        writer.beginArray()
        for point in points {
            let bounds = snapshot.zone.bounds(of: point.day)
            guard !bounds.isEmpty else { continue }
            writer.beginObject()
            writer.key("ts")
            writer.localTime(bounds.lowerBound, snapshot.zone)
            for (name, value) in [("dau", point.dau), ("wau", point.wau), ("mau", point.mau)] {
                writer.key(name)
                writer.optional(value.map(Int64.init))
            }
            if bounds.upperBound > snapshot.asOfMs {
                writer.key("complete")
                writer.bool(false)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }
}
