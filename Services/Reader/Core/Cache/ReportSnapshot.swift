import Calendar

/// Everything one report needs, as it was at one moment.
struct ReportSnapshot: Sendable {
    let data: ReportData
    /// Days with each of their rows, where the request wanted them.
    let rows: [ReportDay]
    /// The app's zone at that moment.
    let zone: LocalZone
    let asOfMs: Int64
    /// Everything stored before this instant is in the figures.
    let dataThroughMs: Int64
    /// Differs whenever the figures may.
    let stateTag: String
    /// Of some days before this one only totals are kept; nil where the report has no such day.
    var totalsOnlyBefore: LocalDay?
}

/// What a report needs to see.
struct SnapshotRequest: Sendable {
    /// Spans of closed days; they may overlap.
    var spans: [DaySpan]
    /// Spans whose rows are wanted with their times, which are not kept in memory.
    var rowSpans: [DaySpan] = []
    /// By whose values totals of frozen days are wanted.
    var dimensions: Set<ReportDimension> = []
}
