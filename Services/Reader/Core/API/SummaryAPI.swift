import Calendar
import Contracts
import JSON
import Wire

/// `GET /v1/apps/{app_id}/audience/summary`.
struct SummaryAPI: AudienceAPI {
    let parameters: ReportParameters

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        parameters = try ReportParameters(&query)
    }

    var request: SnapshotRequest {
        let span = parameters.span
        return SnapshotRequest(
            spans: parameters.compare == .previousPeriod ? [span.previous, span] : [span],
            dimensions: parameters.question.filter.dimensions
        )
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

    func totals(_ snapshot: ReportSnapshot, _ span: DaySpan) -> AudienceTotals {
        AudienceReport.totals(snapshot.data, parameters.question, span)
    }

    private func write(_ span: DaySpan, _ totals: AudienceTotals, to writer: inout JSONWriter) {
        writer.writeSpan(span)
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
            writer.change(from: metric.value(of: base), to: metric.value(of: current))
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
        case .active: totals.active.map(Int64.init)
        case .new: totals.new.map(Int64.init)
        case .sessions: totals.sessions.map(Int64.init)
        case .averageDurationMs: totals.averageDurationMs
        case .medianDurationMs: totals.medianDurationMs
        }
    }
}

extension JSONWriter {
    mutating func optional(_ value: Int64?) {
        if let value { int64(value) } else { null() }
    }

    /// When the answer was computed, up to when everything stored is in it, and whether of some days only totals are kept.
    mutating func writeFreshness(_ snapshot: ReportSnapshot) {
        writeCoverage(snapshot.totalsOnlyBefore)
        key("as_of")
        string(RFC3339.format(ms: snapshot.asOfMs))
        key("data_through")
        string(RFC3339.format(ms: snapshot.dataThroughMs))
    }

    /// Says from which day on more than totals is kept; nothing where the report has no older day.
    mutating func writeCoverage(_ totalsOnlyBefore: LocalDay?) {
        guard let totalsOnlyBefore else { return }
        key("coverage")
        beginObject()
        member("totals_only_before", totalsOnlyBefore.description)
        endObject()
    }
}
