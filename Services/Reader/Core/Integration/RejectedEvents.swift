import Contracts
import Postgres
import Schema

/// What was turned away in the last hours, and why.
///
/// Refusals know no environment: those of both are in it.
struct RejectedEvents: Sendable {
    struct Client: Sendable, Equatable {
        var platform: String?
        var appVersion: String?
        var count: Int
    }

    struct Field: Sendable, Equatable {
        var field: String?
        var count: Int
    }

    struct Reason: Sendable, Equatable {
        /// A code of a rejected event, or of a batch refused as a whole.
        var code: String
        var count = 0
        var fields: [Field] = []
        var clients: [Client] = []
    }

    /// One that was turned away.
    struct Latest: Sendable {
        var receivedAtMs: Int64
        var code: String
        var field: String?
        var platform: String?
        var appVersion: String?
        var insertID: UUID128?
    }

    static let latestMax = 20
    /// Of each reason.
    private static let detailsMax = 20
    private static let rowsMax = 2_000

    /// By the position of the hour, from 1 on.
    var byHour: [Int: Int] = [:]
    /// The most frequent first.
    var reasons: [Reason] = []
    var latest: [Latest] = []

    var total: Int { reasons.reduce(0) { $0 + $1.count } }

    static func read(_ app: Int32, _ window: HealthWindow, _ connection: isolated PostgresConnection) throws
        -> RejectedEvents
    {
        var rejected = RejectedEvents()
        var positions: [String: Int] = [:]
        try connection.forEachRow(statement(app, window)) { row in
            let count = try row.int(5)
            switch try row.int(0) {
            case 0: rejected.byHour[try row.int(1)] = count
            case 1:
                let code = try row.string(2)
                positions[code] = rejected.reasons.count
                rejected.reasons.append(Reason(code: code, count: count))
            case let kind:
                guard let position = positions[try row.string(2)] else { return }
                if kind == 2, rejected.reasons[position].fields.count < detailsMax {
                    let field = Field(field: try row.optionalString(3), count: count)
                    rejected.reasons[position].fields.append(field)
                } else if kind == 3, rejected.reasons[position].clients.count < detailsMax {
                    let client = Client(
                        platform: try row.optionalString(3),
                        appVersion: try row.optionalString(4),
                        count: count
                    )
                    rejected.reasons[position].clients.append(client)
                }
            }
        }
        rejected.latest = try connection.rows(latestStatement(app)) { try Latest($0) }
        return rejected
    }

    /// Rows of four kinds: by hour, by reason, by reason and field, by reason and client.
    private static func statement(_ app: Int32, _ window: HealthWindow) -> SQL {
        """
        SELECT kind, hour, code, one, other, count FROM (
            SELECT CASE WHEN grouping(hour) = 0 THEN 0 WHEN grouping(field) = 0 THEN 2
                        WHEN grouping(platform) = 0 THEN 3 ELSE 1 END AS kind,
                   hour, code, CASE WHEN grouping(field) = 0 THEN field ELSE platform END AS one,
                   app_version AS other, count(*) AS count
            FROM (
                SELECT \(window.hour(of: "received_at")) AS hour, code, field, platform, app_version FROM rejections
                WHERE app_no = \(app) AND received_at >= \(window.start)::timestamptz
            ) r
            GROUP BY GROUPING SETS ((hour), (code), (code, field), (code, platform, app_version))
        ) r ORDER BY kind, count DESC, code, one, other LIMIT \(rowsMax)
        """
    }

    private static func latestStatement(_ app: Int32) -> SQL {
        """
        SELECT received_at, code, field, platform, app_version, insert_id FROM rejections
        WHERE app_no = \(app)
        ORDER BY received_at DESC, partition, message_offset DESC, item_index LIMIT \(latestMax)
        """
    }
}

extension RejectedEvents.Latest {
    fileprivate init(_ row: borrowing Row) throws {
        receivedAtMs = try row.timestampMs(0)
        code = try row.string(1)
        field = try row.optionalString(2)
        platform = try row.optionalString(3)
        appVersion = try row.optionalString(4)
        insertID = try row.optionalUUID(5).map { UUID128(high: $0.high, low: $0.low) }
    }
}
