import CSV

extension BreakdownAPI {
    static let tableName = "breakdown"

    /// One record for each value; the totals are not among them, since people of several values are in each of those.
    func table(_ snapshot: ReportSnapshot) -> [UInt8] {
        let lines = lines(snapshot)
        let total = totals(parameters.span, snapshot)
        let baseTotal = compares ? totals(parameters.span.previous, snapshot) : nil
        let names = Self.metrics.map(\.rawValue)
        var writer = CSVWriter(reservingBytes: 256 + 96 * lines.count)
        var header = [dimension.rawValue] + names + ["share"]
        if compares { header += Column.previous(names + ["share"]) + Column.delta(names) }
        writer.header(header)
        for line in lines {
            writer.text(line.item.value)
            write(line.item, of: total, to: &writer)
            if let base = line.base, let baseTotal {
                write(base, of: baseTotal, to: &writer)
                for metric in Self.metrics {
                    writer.double(
                        Change.percent(from: metric.value(of: base), to: metric.value(of: line.item))
                    )
                }
            }
            writer.endRecord()
        }
        return writer.bytes
    }

    private func write(_ item: Breakdown.Item, of total: AudienceTotals, to writer: inout CSVWriter) {
        for metric in Self.metrics { writer.int64(metric.value(of: item)) }
        writer.double(Share.of(item.counts.active, in: total.active))
    }
}
