import Calendar
import Contracts
import Postgres
import Schema

/// When the snapshot was taken, and what held then.
struct Moment: Sendable {
    var asOfMs: Int64
    var dataThroughMs: Int64
    var xmin: Int64
    /// Which transactions it sees, as Postgres writes it.
    var snapshot: String
    var zone: LocalZone
    var zoneVersion: Int

    static func read(_ key: WorldKey, _ connection: isolated PostgresConnection) throws -> Moment {
        let scope: SQL = "app_no = \(key.app) AND environment = \(key.environment.code)"
        let row = try connection.first(
            """
            SELECT now(), least(now(), (SELECT min(marked_at) FROM dirty_days WHERE \(scope))),
                   pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
                   (SELECT timezone FROM apps WHERE app_no = \(key.app)), pg_current_snapshot()::text
            LIMIT 1
            """
        ) {
            (
                try $0.timestampMs(0), try $0.timestampMs(1), try $0.int64(2),
                try $0.optionalString(3), try $0.string(4)
            )
        }
        // An app that has gone since it was looked up.
        guard let (asOfMs, throughMs, xmin, name, snapshot) = row, let name else { throw ReadRefusal(.appNotFound) }
        return Moment(
            asOfMs: asOfMs,
            dataThroughMs: throughMs,
            xmin: xmin,
            snapshot: snapshot,
            zone: try LocalZone(named: name),
            zoneVersion: 1
        )
    }
}
