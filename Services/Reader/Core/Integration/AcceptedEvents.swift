import Contracts
import Postgres
import Schema

/// What was stored in the last hours, and who sent it.
struct AcceptedEvents: Sendable {
    struct Client: Sendable, Equatable {
        var platform: String
        var appVersion: String?
        var events: Int
        /// `event_time` of the latest.
        var lastSeenMs: Int64
    }

    static let clientsMax = 200

    /// By the position of the hour, from 1 on.
    var byHour: [Int: Int] = [:]
    /// The busiest first.
    var clients: [Client] = []

    /// - Parameter environments: of which events are counted.
    static func read(
        _ app: Int32,
        _ environments: [AppEnvironment],
        _ window: HealthWindow,
        _ connection: isolated PostgresConnection
    ) throws -> AcceptedEvents {
        var accepted = AcceptedEvents()
        try connection.forEachRow(statement(app, environments, window)) { row in
            if let hour = try row.optionalInt(0) {
                accepted.byHour[hour] = try row.int(3)
            } else {
                accepted.clients.append(
                    Client(
                        platform: try row.string(1),
                        appVersion: try row.optionalString(2),
                        events: try row.int(3),
                        lastSeenMs: try row.timestampMs(4)
                    )
                )
            }
        }
        return accepted
    }

    private static func statement(_ app: Int32, _ environments: [AppEnvironment], _ window: HealthWindow)
        -> SQL
    {
        let from = PostgresTimestamp(ms: window.startMs - HealthWindow.slackMs)
        return """
            SELECT e.hour, c.platform, c.app_version, sum(e.events)::bigint, max(e.last_at)
            FROM (
                SELECT \(window.hour(of: "received_at")) AS hour, context_no, count(*) AS events,
                       max(event_time) AS last_at
                FROM events
                WHERE app_no = \(app) AND environment = ANY (\(environments.map(\.code))::smallint[])
                  AND event_time >= \(from)::timestamptz AND received_at >= \(window.start)::timestamptz
                GROUP BY 1, 2
            ) e
            JOIN contexts c ON c.context_no = e.context_no
            GROUP BY GROUPING SETS ((e.hour), (c.platform, c.app_version))
            ORDER BY grouping(e.hour), sum(e.events) DESC, c.platform, c.app_version
            LIMIT \(HealthWindow.hours + clientsMax)
            """
    }
}
