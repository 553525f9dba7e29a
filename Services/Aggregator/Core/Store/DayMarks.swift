import Calendar
import Postgres
import Schema

/// Marks the local days whose block has to be built anew: the one place where storing does.
enum DayMarks {
    /// Days of zones that apps are changing to are marked whether or not something in them is new.
    static func add(
        _ positions: [Int],
        of admitted: AdmittedEvents,
        _ connection: isolated PostgresConnection
    ) throws {
        var keys = admitted.pendingDays
        var last: DayKey?
        for position in positions {
            let key = admitted.dayKey(at: position)
            if key != last { keys.insert(key) }
            last = key
        }
        let days = Array(keys)
        _ = try connection.execute(
            """
            INSERT INTO dirty_days (app_no, environment, zone_version, day, cause)
            SELECT d.app_no, d.environment, d.zone_version, d.day, 'events'
            FROM unnest(\(days.map(\.app))::integer[], \(days.map(\.environment))::smallint[],
                        \(days.map(\.zoneVersion))::integer[], \(days.map(\.day))::date[])
                AS d(app_no, environment, zone_version, day)
            ORDER BY 1, 2, 3, 4
            """
        )
    }
}
