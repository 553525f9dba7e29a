import Contracts
import JSON

/// `GET /v1/apps/{app_id}/audience/breakdown`.
struct BreakdownAPI: AudienceAPI {
    let parameters: ReportParameters
    let dimension: ReportDimension

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
        guard let name = try query.value("dimension"), let dimension = ReportDimension(rawValue: name) else {
            throw ReadRefusal(.invalidRequest, field: "dimension")
        }
        self.dimension = dimension
    }

    var compares: Bool { parameters.compare == .previousPeriod }

    var request: SnapshotRequest {
        SnapshotRequest(
            spans: compares ? [parameters.span.previous, parameters.span] : [parameters.span],
            dimensions: parameters.question.filter.dimensions.union([dimension])
        )
    }

    /// One line of the table: a value's figures, and those of the period compared with.
    struct Line {
        var item: Breakdown.Item
        var base: Breakdown.Item?
    }

    /// Values of either period: one that only the earlier has shows that it is gone.
    func lines(_ snapshot: ReportSnapshot) -> [Line] {
        let items = items(parameters.span, snapshot)
        guard compares else { return items.map { Line(item: $0) } }
        let bases = self.items(parameters.span.previous, snapshot)
        let baseOf = Dictionary(bases.map { ($0.value, $0) }) { first, _ in first }
        let present = Set(items.map(\.value))
        return items.map { Line(item: $0, base: baseOf[$0.value] ?? Breakdown.Item(value: $0.value)) }
            + bases.filter { !present.contains($0.value) }.map {
                Line(item: Breakdown.Item(value: $0.value), base: $0)
            }
    }

    private func items(_ span: DaySpan, _ snapshot: ReportSnapshot) -> [Breakdown.Item] {
        Breakdown.items(dimension, snapshot.data, parameters.question, span)
    }

    func totals(_ span: DaySpan, _ snapshot: ReportSnapshot) -> AudienceTotals {
        AudienceReport.totals(snapshot.data, parameters.question, span)
    }

    func answer(_ snapshot: ReportSnapshot) -> [UInt8] {
        let lines = lines(snapshot)
        let total = totals(parameters.span, snapshot)
        let baseTotal = compares ? totals(parameters.span.previous, snapshot) : nil
        var writer = JSONWriter(reservingBytes: 512 + 300 * lines.count)
        writer.beginObject()
        writer.key("dimension")
        writer.string(dimension.rawValue)
        writer.writeSpan(parameters.span)
        writer.key("items")
        writer.beginArray()
        for line in lines {
            writer.beginObject()
            writer.key("value")
            if let value = line.item.value { writer.string(value) } else { writer.null() }
            write(line.item, of: total, to: &writer)
            if let base = line.base, let baseTotal { writeCompared(line.item, base, baseTotal, to: &writer) }
            writer.endObject()
        }
        writer.endArray()
        writer.key("total")
        writeTotal(total, to: &writer)
        writer.key("compare")
        if let baseTotal {
            writer.beginObject()
            writer.writeSpan(parameters.span.previous)
            writer.key("total")
            writeTotal(baseTotal, to: &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.writeFreshness(snapshot)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ item: Breakdown.Item, of total: AudienceTotals, to writer: inout JSONWriter) {
        for metric in Self.metrics {
            writer.key(metric.rawValue)
            writer.optional(metric.value(of: item))
        }
        writer.key("share")
        writer.share(item.counts.active, of: total.active)
    }

    private func writeCompared(
        _ item: Breakdown.Item,
        _ base: Breakdown.Item,
        _ baseTotal: AudienceTotals,
        to writer: inout JSONWriter
    ) {
        writer.key("compare")
        writer.beginObject()
        write(base, of: baseTotal, to: &writer)
        writer.key("delta_pct")
        writer.beginObject()
        for metric in Self.metrics {
            writer.key(metric.rawValue)
            writer.change(from: metric.value(of: base), to: metric.value(of: item))
        }
        writer.endObject()
        writer.endObject()
    }

    private func writeTotal(_ total: AudienceTotals, to writer: inout JSONWriter) {
        writer.beginObject()
        for metric in Self.metrics {
            writer.key(metric.rawValue)
            writer.optional(metric.value(of: total))
        }
        writer.endObject()
    }

    static let metrics: [AudienceMetric] = [.active, .new, .sessions, .averageDurationMs]
}

extension AudienceMetric {
    func value(of item: Breakdown.Item) -> Int64? {
        switch self {
        case .active: item.counts.active.map(Int64.init)
        case .new: item.counts.new.map(Int64.init)
        case .sessions: (item.counts.sums?.sessions).map(Int64.init)
        case .averageDurationMs: item.counts.sums?.averageMs
        case .medianDurationMs: nil
        }
    }
}

extension JSONWriter {
    /// From 0 to 1 with four decimals, halves rounded up; null of nothing, and where either is not known.
    mutating func share(_ part: Int?, of whole: Int?) {
        if let share = Share.of(part, in: whole) { double(share) } else { null() }
    }

    /// In percent with two decimals; null without a base.
    mutating func change(from base: Int64?, to current: Int64?) {
        if let percent = Change.percent(from: base, to: current) { double(percent) } else { null() }
    }
}
