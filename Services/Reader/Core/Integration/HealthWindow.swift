import Calendar
import Postgres

/// The last 24 hours of the app's clock, the running one included.
struct HealthWindow: Sendable {
    static let hours = 24
    /// An event may have happened so long before the first hour and still count in it.
    ///
    /// Farther back lies an offline queue's past,
    /// and looking for it would mean reading a week.
    static let slackMs: Int64 = 3_600_000

    /// First instants of the hours, ascending.
    let starts: [Int64]
    let nowMs: Int64

    init(_ zone: LocalZone, nowMs: Int64) {
        let today = zone.day(ofMs: nowMs)
        let hours = (-2...0).flatMap { zone.hourStarts(of: today.advanced(by: $0)) }
        starts = Array(hours.filter { $0 <= nowMs }.suffix(Self.hours))
        self.nowMs = nowMs
    }

    var startMs: Int64 { starts.first ?? nowMs }
    var start: PostgresTimestamp { PostgresTimestamp(ms: startMs) }

    /// The position of the hour a column's instant lies in, from 1 on.
    func hour(of column: SQL) -> SQL {
        "width_bucket(\(column), \(starts.map { PostgresTimestamp(ms: $0) })::timestamptz[])"
    }
}
