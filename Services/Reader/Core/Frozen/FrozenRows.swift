import Calendar
import Contracts
import Postgres
import Schema

/// The rows of days of which only totals are kept.
enum FrozenRows {
    /// Totals, and counts by value of some dimensions, in order of the days.
    static func statement(_ key: WorldKey, _ span: DaySpan, _ dimensions: Set<ReportDimension>) -> SQL {
        let names = [""] + dimensions.map(\.rawValue).sorted()
        return """
            SELECT day, dimension, value, active_persons, active_installs, new_persons, new_installs,
                   sessions, sessions_ended, duration_ms_sum
            FROM day_totals
            WHERE app_no = \(key.app) AND environment = \(key.environment.code)
              AND day BETWEEN \(span.first)::date AND \(span.last)::date AND dimension = ANY(\(names)::text[])
            ORDER BY day, dimension, value LIMIT 100000000
            """
    }

    static func read(_ row: borrowing Row) throws -> (day: LocalDay, row: FrozenTotals.Row) {
        let counts = FrozenTotals.Row(
            dimension: ReportDimension(rawValue: try row.string(1)),
            value: try row.optionalString(2),
            activePersons: try row.optionalInt32(3),
            activeInstalls: try row.optionalInt32(4),
            newPersons: try row.optionalInt32(5),
            newInstalls: try row.optionalInt32(6),
            sums: SessionSums(
                sessions: try row.int(7),
                ended: try row.int(8),
                durationMs: try row.int64(9)
            )
        )
        return (try row.localDay(0), counts)
    }
}

extension FrozenTotals {
    /// The totals of the spans' days; reads nothing when all of them are later than what can be frozen.
    ///
    /// Days are frozen by the zone their app had then, so dates up to two days after the first kept instant may be among them.
    static func load(
        _ key: WorldKey,
        _ request: SnapshotRequest,
        _ moment: Moment,
        without closed: Set<LocalDay>,
        _ connection: isolated PostgresConnection
    ) throws -> FrozenTotals {
        var totals = FrozenTotals()
        let edge = moment.zone.day(ofMs: moment.keptFromMs).advanced(by: 2)
        guard let first = request.spans.map(\.first).min(), first <= edge,
            let last = request.spans.map(\.last).max()
        else { return totals }
        let span = DaySpan(first: first, last: min(last, edge))
        try connection.forEachRow(FrozenRows.statement(key, span, request.dimensions)) {
            let (day, row) = try FrozenRows.read($0)
            // A day is frozen or closed; whatever happens, none is counted twice. Of a day without anything nothing was lost.
            if !closed.contains(day), !row.isNothing { totals.add(row, of: day) }
        }
        return totals
    }

    /// The first day of which more than totals is kept; nil when these are no days at all.
    func keptFrom(_ moment: Moment) -> LocalDay? {
        guard let last else { return nil }
        let day = moment.zone.day(ofMs: moment.keptFromMs)
        let isCut = moment.zone.bounds(of: day).lowerBound < moment.keptFromMs
        return max(isCut ? day.advanced(by: 1) : day, last.advanced(by: 1))
    }
}
