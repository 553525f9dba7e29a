import Calendar
import Postgres
import Schema

/// Marks the local days whose block has to be built anew: the one place where storing does.
enum DayMarks {
    static func add(_ events: [AdmittedEvents.Event], _ connection: isolated PostgresConnection) throws {
        var keys: Set<DayKey> = []
        for event in events {
            keys.insert(DayKey(app: event.app, environment: event.environment, day: event.day))
        }
        let days = Array(keys)
        _ = try connection.execute(
            """
            INSERT INTO dirty_days (app_no, environment, day, cause)
            SELECT d.app_no, d.environment, d.day, 'events'
            FROM unnest(\(days.map(\.app))::integer[], \(days.map(\.environment))::smallint[],
                        \(days.map(\.day))::date[]) AS d(app_no, environment, day)
            ORDER BY 1, 2, 3
            """
        )
    }
}
