public import Calendar
public import Contracts
public import Postgres
import Schema

/// What storing events needs to know of an app.
public struct KnownApp: Sendable {
    public let number: Int32
    public let zone: LocalZone
    public var zoneVersion: Int32 = 1
    /// The zone a change is building days for.
    public var pending: PendingZone?
}

/// A zone an app is changing to.
public struct PendingZone: Sendable {
    public let zone: LocalZone
    public let version: Int32
}

/// The apps by id, refreshed when one is unknown or the copy has grown old.
///
/// Used inside the storing transaction, so the day an event marks is cut by the zone the app has at that moment.
public struct AppDirectory: Sendable {
    private var apps: [UUID128: KnownApp] = [:]
    private var version: Int64 = -1
    private var zones: [String: LocalZone] = [:]

    public init() {}

    public subscript(id: UUID128) -> KnownApp? { apps[id] }

    /// Loads the apps again if any of them changed; one short query when none did.
    ///
    /// - Throws: `PostgresError`, or `UnknownZone` when this machine's tzdata lacks an app's zone: better to stop than to
    ///   put events into wrong days.
    public mutating func refresh(_ connection: isolated PostgresConnection) throws {
        let current = try connection.first("SELECT version FROM registry_version LIMIT 1") { try $0.int64(0) }
        guard current != version else { return }
        // An app that is being merged or deleted is known by its alias only, or not at all.
        let rows = try connection.rows(
            """
            SELECT n.app_id, a.app_no, a.timezone, a.zone_version, c.timezone, c.zone_version
            FROM (
                SELECT app_id, app_no FROM apps UNION ALL SELECT source_app_id, app_no FROM app_aliases
            ) n
            JOIN apps a ON a.app_no = n.app_no AND a.status IN ('active', 'archived')
            LEFT JOIN zone_changes c ON c.app_no = a.app_no ORDER BY a.app_no, n.app_id LIMIT 1000000
            """
        ) {
            (
                id: try $0.uuid128(0), number: try $0.int32(1), zone: try $0.string(2),
                version: try $0.int32(3), pending: try $0.optionalString(4),
                pendingVersion: try $0.optionalInt32(5)
            )
        }
        var loaded: [UUID128: KnownApp] = [:]
        for row in rows {
            var app = KnownApp(number: row.number, zone: try zone(named: row.zone), zoneVersion: row.version)
            if let name = row.pending, let version = row.pendingVersion {
                app.pending = PendingZone(zone: try zone(named: name), version: version)
            }
            loaded[row.id] = app
        }
        apps = loaded
        version = current ?? 0
    }

    private mutating func zone(named name: String) throws -> LocalZone {
        if let zone = zones[name] { return zone }
        let zone = try LocalZone(named: name)
        zones[name] = zone
        return zone
    }
}
