public import Calendar
public import Contracts
public import Postgres
import Schema

/// One closed day as reports show it now, and why it was built last.
public struct DayRevision: Sendable, Equatable {
    public var day: LocalDay
    /// 1 when it was closed first; larger each time its figures changed.
    public var revision: Int
    public var cause: String
    /// Milliseconds since 1970.
    public var closedAtMs: Int64
}

/// Which days were closed when, and how often they changed afterwards.
public enum DayRevisions {
    /// Those closed last come first; days of the app's present zone.
    public static func newest(
        of app: AppSummary,
        _ environment: AppEnvironment,
        limit: Int,
        _ connection: isolated PostgresConnection
    ) throws -> [DayRevision] {
        try connection.rows(
            """
            SELECT d.day, d.revision, d.cause, d.closed_at
            FROM closed_days d JOIN apps a ON a.app_no = d.app_no AND a.zone_version = d.zone_version
            WHERE d.app_no = \(app.number) AND d.environment = \(environment.code)
            ORDER BY d.closed_at DESC, d.day DESC LIMIT \(limit)
            """
        ) {
            DayRevision(
                day: try $0.localDay(0),
                revision: try $0.int(1),
                cause: try $0.string(2),
                closedAtMs: try $0.timestampMs(3)
            )
        }
    }
}
