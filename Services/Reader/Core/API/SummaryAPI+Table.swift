import CSV
import Calendar

extension SummaryAPI {
    static let tableName = "summary"

    /// One record: the period's figures, and with a comparison those of the period before and the changes in percent.
    func table(_ snapshot: ReportSnapshot) -> [UInt8] {
        let compares = parameters.compare == .previousPeriod
        let names = AudienceMetric.allCases.map(\.rawValue)
        var writer = CSVWriter(reservingBytes: 640)
        var header = ["from", "to"] + names
        if compares { header += Column.previous(["from", "to"] + names) + Column.delta(names) }
        writer.header(header)
        let current = totals(snapshot, parameters.span)
        write(parameters.span, current, to: &writer)
        if compares {
            let base = totals(snapshot, parameters.span.previous)
            write(parameters.span.previous, base, to: &writer)
            for metric in AudienceMetric.allCases {
                writer.double(Change.percent(from: metric.value(of: base), to: metric.value(of: current)))
            }
        }
        writer.endRecord()
        return writer.bytes
    }

    private func write(_ span: DaySpan, _ totals: AudienceTotals, to writer: inout CSVWriter) {
        writer.text(span.first.description)
        writer.text(span.last.description)
        for metric in AudienceMetric.allCases { writer.int64(metric.value(of: totals)) }
    }
}

/// Names of columns that several tables have.
enum Column {
    static func previous(_ names: [String]) -> [String] { names.map { "previous_" + $0 } }
    static func delta(_ names: [String]) -> [String] { names.map { "delta_pct_" + $0 } }
}
