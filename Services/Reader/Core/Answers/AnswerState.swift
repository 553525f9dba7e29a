import Calendar
import HTTP
import ServiceKit

/// Names everything the body of a report is made of; two reports of the same name have the same figures.
///
/// `as_of` and `data_through` tell of the look at the data and not of the data, so they are left out.
enum AnswerState {
    /// - Parameters:
    ///   - path: as it came; it names the app.
    ///   - query: as it came and proved valid.
    static func name(
        _ snapshot: ReportSnapshot,
        _ request: SnapshotRequest,
        path: String,
        query: HTTPQuery,
        _ format: AnswerFormat
    ) -> String {
        let pairs = query.pairs.filter { $0.name != "format" }
            .map { "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)" }
        return [
            BuildInfo.version, format.rawValue, path, Set(pairs).sorted().joined(), clock(snapshot, request),
            snapshot.stateTag,
        ].joined(separator: "\n")
    }

    /// How far the clock has come, as far as the report can show it.
    ///
    /// Whether a day, and with it a week, a month or a cohort's day, is over changes at midnights of the report's days only; for hours
    /// at their ends. So a report about the past keeps its name as time goes by.
    private static func clock(_ snapshot: ReportSnapshot, _ request: SnapshotRequest) -> String {
        let today = snapshot.zone.day(ofMs: snapshot.asOfMs)
        guard let first = request.spans.map(\.first).min(), let last = request.spans.map(\.last).max() else {
            return ""
        }
        guard first <= today else { return "before" }
        guard today <= last else { return "after" }
        guard !request.rowSpans.isEmpty else { return today.description }
        let hour = snapshot.zone.hourStarts(of: today).count { $0 <= snapshot.asOfMs }
        return "\(today) \(hour)"
    }
}
