import Calendar
import Postgres
import Schema

/// Marks the days of some instants in the app's zone, and in the zone it may be changing to.
///
/// For whoever changes events without storing them, inside the transaction that does. It holds the store's barrier from here on: a change of
/// zone either is seen here, or begins after the commit.
enum ZoneMarks {
    static func add(
        app: Int32,
        environment: Int16,
        timesMs: [Int64],
        cause: DayCause,
        _ connection: isolated PostgresConnection
    ) throws {
        _ = try StoreBarrier.enter(connection)
        let zones = try connection.rows(
            """
            SELECT timezone, zone_version FROM apps WHERE app_no = \(app)
            UNION ALL SELECT timezone, zone_version FROM zone_changes WHERE app_no = \(app) LIMIT 2
            """
        ) { (name: try $0.string(0), version: try $0.int32(1)) }
        for zone in zones {
            let rules = try LocalZone(named: zone.name)
            let days = Set(timesMs.map { rules.day(ofMs: $0) }).sorted()
            _ = try connection.execute(
                """
                INSERT INTO dirty_days (app_no, environment, zone_version, day, cause)
                SELECT \(app)::integer, \(environment)::smallint, \(zone.version)::integer, day,
                       \(cause.rawValue)::text
                FROM unnest(\(days.map(\.description))::date[]) AS d(day)
                """
            )
        }
    }
}
