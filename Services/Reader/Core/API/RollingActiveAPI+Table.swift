import CSV
import Calendar

extension RollingActiveAPI {
    static let tableName = "rolling_active"

    /// One record for each day.
    func table(_ snapshot: ReportSnapshot) -> [UInt8] {
        let points = RollingActive.points(
            snapshot.data,
            parameters.question,
            from: parameters.span.first,
            through: parameters.span.last
        )
        var writer = CSVWriter(reservingBytes: 64 + 64 * points.count)
        writer.header(["ts", "dau", "wau", "mau", "complete"])
        for point in points {
            let bounds = snapshot.zone.bounds(of: point.day)
            guard !bounds.isEmpty else { continue }
            writer.localTime(bounds.lowerBound, snapshot.zone)
            for value in [point.dau, point.wau, point.mau] { writer.int64(value.map(Int64.init)) }
            writer.bool(bounds.upperBound <= snapshot.asOfMs)
            writer.endRecord()
        }
        return writer.bytes
    }
}
