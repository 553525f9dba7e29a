import Contracts
import Postgres
import Schema

/// An app as the Read API shows it.
struct AppRecord: Sendable {
    let id: UUID128
    let number: Int32
    let name: String
    let timezone: String
    let platforms: [String]
    let status: AppStatus
    let createdAtMs: Int64
    let archivedAtMs: Int64?

    private static let columns: SQL =
        "app_id, app_no, name, timezone, array_to_string(platforms, ','), status, created_at, archived_at"

    static func one(_ id: UUID128) -> SQL {
        """
        SELECT \(columns) FROM apps
        WHERE app_id = \(id)::uuid AND status IN ('active', 'archived') LIMIT 1
        """
    }

    /// All that the key sees, in order of creation.
    static func all(for access: APIAccess, includingArchived: Bool) -> SQL {
        """
        SELECT \(columns) FROM apps
        WHERE (\(access.appID)::uuid IS NULL OR app_id = \(access.appID)::uuid)
          AND (status = 'active' OR status = 'archived' AND \(includingArchived)::boolean)
        ORDER BY created_at, app_id LIMIT 100000
        """
    }
}

extension AppRecord {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        number = try row.int32(1)
        name = try row.string(2)
        timezone = try row.string(3)
        platforms = try row.string(4).split(separator: ",").map(String.init)
        status = AppStatus(rawValue: try row.string(5)) ?? .active
        createdAtMs = try row.timestampMs(6)
        archivedAtMs = try row.optionalTimestampMs(7)
    }
}
