import CSV
import Calendar

extension TimeseriesAPI {
    static let tableName = "timeseries"

    /// One record for each point of each series; `platform` is empty in those of everybody.
    func table(_ snapshot: ReportSnapshot) -> [UInt8] {
        let all = points(parameters.span, parameters.question, snapshot)
        var writer = CSVWriter(reservingBytes: 256 + 128 * all.count)
        writer.header(["period", "platform", "ts", metric.rawValue, "complete"])
        write(all, "current", nil, snapshot.zone, to: &writer)
        if compares {
            let base = points(parameters.span.previous, parameters.question, snapshot)
            write(base, "previous", nil, snapshot.zone, to: &writer)
        }
        guard split == .platform else { return writer.bytes }
        for (platform, question) in platforms(snapshot) {
            write(
                points(parameters.span, question, snapshot),
                "current",
                platform,
                snapshot.zone,
                to: &writer
            )
        }
        return writer.bytes
    }

    private func write(
        _ points: [Point],
        _ period: String,
        _ platform: String?,
        _ zone: LocalZone,
        to writer: inout CSVWriter
    ) {
        for point in points {
            writer.text(period)
            writer.text(platform)
            writer.localTime(point.startMs, zone)
            writer.int64(point.value)
            writer.bool(point.isComplete)
            writer.endRecord()
        }
    }
}

extension CSVWriter {
    /// An instant as the app's clocks showed it, with their offset.
    mutating func localTime(_ ms: Int64, _ zone: LocalZone) {
        text(RFC3339.format(ms: ms, offsetSeconds: zone.offsetSeconds(atMs: ms)))
    }
}
