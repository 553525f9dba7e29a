public import Postgres
public import Schema

/// The end of a change of zone: reports switch to the new days.
extension ZoneChanges {
    /// Switches to the new days if all of them are built; inside the caller's transaction.
    ///
    /// Days that events have marked since are ordinary waiting days: reports are as far behind as always.
    @discardableResult
    public static func finish(_ app: Int32, _ connection: isolated PostgresConnection) throws -> Bool {
        try StoreBarrier.close(connection)
        guard let change = try open(app, connection), change.daysLeft == 0 else { return false }
        _ = try connection.execute(
            """
            UPDATE apps SET timezone = \(change.timezone), zone_version = \(change.zoneVersion)
            WHERE app_no = \(app)
            """
        )
        _ = try connection.execute("DELETE FROM zone_changes WHERE app_no = \(app)")
        for table: SQL in ["closed_days", "dirty_days"] {
            _ = try connection.execute(
                "DELETE FROM \(table) WHERE app_no = \(app) AND zone_version <> \(change.zoneVersion)"
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
}
