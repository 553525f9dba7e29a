public import Calendar
public import Postgres
import Schema

/// Finds closed days whose bounds a newer tzdata has moved.
public enum MovedDays {
    private static let daysMax = 10_000

    /// Marks the days that have other bounds now, and notes the new tzdata on the rest; returns how many moved.
    ///
    /// Until a moved day is closed again reports show it within its old bounds, which are stored with it. Days made by newer rules than this
    /// machine's are left alone: while instances are updated one by one, the newer rules win.
    /// - Parameter version: of the rules this machine has.
    public static func mark(
        _ connection: PostgresConnection,
        version: String = LocalZone.tzdataVersion
    ) async throws -> Int {
        var moved = 0
        while true {
            let days = try await connection.rows(
                """
                SELECT app_no, environment, zone_version, day, timezone, first_at, end_at FROM closed_days
                WHERE tzdata_version COLLATE "C" < \(version)
                ORDER BY app_no, environment, zone_version, day LIMIT \(daysMax)
                """
            ) { row in
                (
                    key: DayKey(
                        app: try row.int32(0),
                        environment: Int16(truncatingIfNeeded: try row.int(1)),
                        zoneVersion: try row.int32(2),
                        day: try row.localDay(3)
                    ),
                    zone: try row.string(4), first: try row.timestampMs(5), end: try row.timestampMs(6)
                )
            }
            if days.isEmpty { return moved }
            let keys = try days.filter { day in
                let bounds = try LocalZone(named: day.zone).bounds(of: day.key.day)
                return bounds.lowerBound != day.first || max(bounds.lowerBound, bounds.upperBound) != day.end
            }
            // The day itself, and where its events lie now: that may be a day that had none.
            let marked = try Set(
                keys.flatMap { day in
                    let zone = try LocalZone(named: day.zone)
                    let first = zone.day(ofMs: day.first)
                    let last = max(first, zone.day(ofMs: max(day.first, day.end - 1)))
                    let now = (0...first.distance(to: last)).map { first.advanced(by: $0) }
                    return [day.key] + now.map { day.key.on($0) }
                }
            )
            let all = days.map(\.key)
            try await connection.transaction { connection in
                for key in marked { _ = try connection.execute(DayStatements.mark(key, cause: .zone)) }
                for key in all {
                    _ = try connection.execute(
                        """
                        UPDATE closed_days SET tzdata_version = \(version)
                        WHERE \(key.zoneScope) AND day = \(key.day)::date
                        """
                    )
                }
            }
            moved += keys.count
        }
    }
}
