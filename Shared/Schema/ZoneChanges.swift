public import Calendar
import Contracts
public import Postgres

/// A change of an app's zone that is under way.
public struct OpenZoneChange: Sendable, Equatable {
    public var app: Int32
    public var timezone: String
    public var zoneVersion: Int32
    /// Milliseconds since 1970.
    public var startedAtMs: Int64
    public var daysTotal: Int
    /// Days of the new zone that have yet to be built.
    public var daysLeft: Int

    public var daysDone: Int { max(0, daysTotal - daysLeft) }
}

/// What a change to a zone would build: days of all environments, each counted by itself.
public struct ZonePreview: Sendable, Equatable {
    public var days: Int
    /// Days of the new zone; nil without any event.
    public var first: LocalDay?
    public var last: LocalDay?

    public init(days: Int, first: LocalDay? = nil, last: LocalDay? = nil) {
        self.days = days
        self.first = first
        self.last = last
    }
}

/// Changes the zone that cuts an app's days: all of them are built anew beside the old ones, and reports switch at once.
public enum ZoneChanges {
    /// What asking for a zone came to.
    public enum Outcome: Sendable, Equatable {
        /// It is the zone already; a change to another one was called off.
        case unchanged
        case started(OpenZoneChange)
    }

    /// Starts a change, in the place of one that may be under way; inside the caller's transaction.
    ///
    /// Waits for batches that run, so that every event stored before is in a marked day, and every later one marks days of both zones.
    /// - Throws: `PostgresError`, `UnknownZone`.
    public static func request(
        app: Int32,
        timezone: String,
        _ connection: isolated PostgresConnection
    ) throws -> Outcome {
        let zone = try LocalZone(named: timezone)
        try StoreBarrier.close(connection)
        let current = try connection.first(
            "SELECT timezone FROM apps WHERE app_no = \(app) LIMIT 1 FOR UPDATE"
        ) { try $0.string(0) }
        try callOff(app, connection)
        guard let current, current != timezone else { return .unchanged }
        let version = try connection.first(
            """
            UPDATE apps SET zone_version_last = zone_version_last + 1 WHERE app_no = \(app)
            RETURNING zone_version_last
            """
        ) { try $0.int32(0) }
        guard let version else { return .unchanged }
        var days = 0
        for environment in AppEnvironment.allCases {
            days += try mark(app, environment, zone, version, connection)
        }
        let startedAtMs = try connection.first(
            """
            INSERT INTO zone_changes (app_no, timezone, zone_version, days_total)
            VALUES (\(app), \(timezone), \(version), \(days)) RETURNING requested_at
            """
        ) { try $0.timestampMs(0) }
        return .started(
            OpenZoneChange(
                app: app,
                timezone: timezone,
                zoneVersion: version,
                startedAtMs: startedAtMs ?? 0,
                daysTotal: days,
                daysLeft: days
            )
        )
    }

    /// The days a change to a zone would build.
    ///
    /// - Throws: `PostgresError`, `UnknownZone`.
    public static func preview(
        app: Int32,
        timezone: String,
        _ connection: isolated PostgresConnection
    ) throws -> ZonePreview {
        let zone = try LocalZone(named: timezone)
        var preview = ZonePreview(days: 0)
        for environment in AppEnvironment.allCases {
            guard let days = try days(app, environment, zone, connection) else { continue }
            let found = try connection.first(
                "SELECT count(*), min(d.day), max(d.day) FROM (\(days)) d LIMIT 1"
            ) { row in
                let count = try row.int(0)
                return (count, count == 0 ? nil : (try row.localDay(1), try row.localDay(2)))
            }
            guard case (let count, (let first, let last)?)? = found else { continue }
            preview.days += count
            preview.first = min(preview.first ?? first, first)
            preview.last = max(preview.last ?? last, last)
        }
        return preview
    }

    /// The change of one app that is under way.
    public static func open(_ app: Int32, _ connection: isolated PostgresConnection) throws -> OpenZoneChange?
    {
        try connection.first("\(selection) WHERE c.app_no = \(app) LIMIT 1") { try OpenZoneChange($0) }
    }

    /// Every change that is under way.
    public static func all(_ connection: isolated PostgresConnection) throws -> [OpenZoneChange] {
        try connection.rows("\(selection) ORDER BY c.app_no LIMIT 100000") { try OpenZoneChange($0) }
    }

    private static var selection: SQL {
        """
        SELECT c.app_no, c.timezone, c.zone_version, c.requested_at, c.days_total,
               (SELECT count(*) FROM (
                    SELECT DISTINCT d.environment, d.day FROM dirty_days d
                    WHERE d.app_no = c.app_no AND d.zone_version = c.zone_version
                      AND d.cause IN ('zone', 'neighbour')) w)
        FROM zone_changes c
        """
    }

    private static func callOff(_ app: Int32, _ connection: isolated PostgresConnection) throws {
        let version = try connection.first(
            "DELETE FROM zone_changes WHERE app_no = \(app) RETURNING zone_version"
        ) { try $0.int32(0) }
        guard let version else { return }
        for table: SQL in ["closed_days", "dirty_days"] {
            _ = try connection.execute(
                "DELETE FROM \(table) WHERE app_no = \(app) AND zone_version = \(version)"
            )
        }
    }

    private static func mark(
        _ app: Int32,
        _ environment: AppEnvironment,
        _ zone: LocalZone,
        _ version: Int32,
        _ connection: isolated PostgresConnection
    ) throws -> Int {
        guard let days = try days(app, environment, zone, connection) else { return 0 }
        return try connection.execute(
            """
            INSERT INTO dirty_days (app_no, environment, zone_version, day, cause)
            SELECT \(app), \(environment.code), \(version), d.day, 'zone' FROM (\(days)) d
            """
        )
    }

    /// The local days that have events, as a query; nil without any event.
    private static func days(
        _ app: Int32,
        _ environment: AppEnvironment,
        _ zone: LocalZone,
        _ connection: isolated PostgresConnection
    ) throws -> SQL? {
        let whose: SQL = "app_no = \(app) AND environment = \(environment.code)"
        let span = try connection.first(
            """
            SELECT (SELECT event_time FROM events WHERE \(whose) ORDER BY event_time LIMIT 1),
                   (SELECT event_time FROM events WHERE \(whose) ORDER BY event_time DESC LIMIT 1) LIMIT 1
            """
        ) { (try $0.optionalTimestampMs(0), try $0.optionalTimestampMs(1)) }
        guard case (let firstMs?, let lastMs?)? = span else { return nil }
        let (first, last) = (zone.day(ofMs: firstMs), zone.day(ofMs: lastMs))
        let all = (0...first.distance(to: last)).map { first.advanced(by: $0) }
        let bounds = all.map(zone.bounds)
        return """
            SELECT d.day::date AS day FROM unnest(
                \(all.map(\.description))::text[], \(bounds.map(\.lowerBound))::bigint[], \(bounds.map(\.upperBound))::bigint[]
            ) AS d(day, first_ms, end_ms)
            WHERE EXISTS (
                SELECT FROM events WHERE \(whose)
                  AND event_time >= to_timestamp(d.first_ms / 1000.0) AND event_time < to_timestamp(d.end_ms / 1000.0))
            """
    }
}

extension OpenZoneChange {
    fileprivate init(_ row: borrowing Row) throws {
        app = try row.int32(0)
        timezone = try row.string(1)
        zoneVersion = try row.int32(2)
        startedAtMs = try row.timestampMs(3)
        daysTotal = try row.int(4)
        daysLeft = try row.int(5)
    }
}
