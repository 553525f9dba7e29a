import Calendar
import Contracts
import Postgres
import Schema

/// When the snapshot was taken, and what held then.
struct Moment: Sendable {
    var asOfMs: Int64
    var dataThroughMs: Int64
    var xmin: Int64
    var zone: LocalZone
    var zoneVersion: Int
    /// From when on events are kept.
    var keptFromMs: Int64

    static func read(_ key: WorldKey, _ connection: isolated PostgresConnection) throws -> Moment {
        let scope: SQL = "d.app_no = \(key.app) AND d.environment = \(key.environment.code)"
        let row = try connection.first(
            """
            SELECT now(),
                   least(now(), (SELECT min(marked_at) FROM dirty_days d
                                 WHERE \(scope) AND d.zone_version = a.zone_version)),
                   pg_snapshot_xmin(pg_current_snapshot())::text::bigint, a.timezone, a.zone_version,
                   (SELECT kept_from FROM retention_horizon LIMIT 1)
            FROM apps a WHERE a.app_no = \(key.app) LIMIT 1
            """
        ) {
            (
                try $0.timestampMs(0), try $0.timestampMs(1), try $0.int64(2), try $0.string(3),
                try $0.int(4), try $0.timestampMs(5)
            )
        }
        // An app that has gone since it was looked up.
        guard let (asOfMs, throughMs, xmin, name, zoneVersion, keptFromMs) = row else {
            throw ReadRefusal(.appNotFound)
        }
        return Moment(
            asOfMs: asOfMs,
            dataThroughMs: throughMs,
            xmin: xmin,
            zone: try LocalZone(named: name),
            zoneVersion: zoneVersion,
            keptFromMs: keptFromMs
        )
    }
}
