import Calendar
public import Postgres
public import Schema

/// The end of a change of zone: reports switch to the new days.
extension ZoneChanges {
    /// Switches to the new days if all of them are built; inside the caller's transaction.
    ///
    /// Days that events have marked since are ordinary waiting days: reports are as far behind as always. Expired days of the old zone are
    /// frozen first, for their events cannot be counted by the new one.
    @discardableResult
    public static func finish(_ app: Int32, _ connection: isolated PostgresConnection) throws -> Bool {
        try StoreBarrier.close(connection)
        guard let change = try open(app, connection), change.daysLeft == 0,
            try !hasExpiredDays(app, connection)
        else { return false }
        _ = try connection.execute(
            """
            UPDATE apps SET timezone = \(change.timezone), zone_version = \(change.zoneVersion)
            WHERE app_no = \(app)
            """
        )
        _ = try connection.execute("DELETE FROM zone_changes WHERE app_no = \(app)")
        let kept = try RetentionHorizon.stored(connection)
            .firstDay(in: try LocalZone(named: change.timezone))
        for table: SQL in ["closed_days", "dirty_days"] {
            _ = try connection.execute(
                """
                DELETE FROM \(table)
                WHERE app_no = \(app) AND (zone_version <> \(change.zoneVersion) OR day < \(kept)::date)
                """
            )
        }
        return true
    }

    /// Switches every change whose days are built; returns the apps.
    public static func finishAll(_ connection: PostgresConnection) async throws -> [Int32] {
        var finished: [Int32] = []
        // Looked at first without stopping anybody.
        for change in try await connection.perform({ try all($0) }) where change.daysLeft == 0 {
            if try await connection.transaction({ try finish(change.app, $0) }) {
                finished.append(change.app)
            }
        }
        return finished
    }

    /// Whether days of the present zone wait to be frozen: an expiry is at it, or will go on where it was stopped.
    private static func hasExpiredDays(
        _ app: Int32,
        _ connection: isolated PostgresConnection
    ) throws -> Bool {
        let present = try connection.first(
            "SELECT timezone, zone_version FROM apps WHERE app_no = \(app) LIMIT 1"
        ) { (zone: try $0.string(0), version: try $0.int32(1)) }
        guard let present else { return false }
        let kept = try RetentionHorizon.stored(connection).firstDay(in: try LocalZone(named: present.zone))
        return try connection.first(
            """
            SELECT EXISTS (
                SELECT FROM closed_days
                WHERE app_no = \(app) AND zone_version = \(present.version) AND day < \(kept)::date
            ) OR EXISTS (
                SELECT FROM dirty_days
                WHERE app_no = \(app) AND zone_version = \(present.version) AND day < \(kept)::date
            ) LIMIT 1
            """
        ) { try $0.bool(0) } ?? false
    }
}
