import Calendar
import Contracts
import Postgres
import Schema
import Wire

/// Everything one report needs, read in one transaction so that no answer mixes two states of the data.
struct ReportSnapshot: Sendable {
    let data: ReportData
    let asOfMs: Int64
    /// Everything stored before this instant is in the figures.
    let dataThroughMs: Int64

    static func load(
        _ app: AppRecord,
        environment: AppEnvironment,
        span: DaySpan,
        _ connection: isolated PostgresConnection
    ) throws -> ReportSnapshot {
        let scope: SQL = "app_no = \(app.number) AND environment = \(environment.code)"
        let (asOfMs, dataThroughMs) = try freshness(scope, connection)
        let days = try connection.rows(
            """
            SELECT day, first_at, end_at, block FROM closed_days
            WHERE \(scope) AND day BETWEEN \(span.first)::date AND \(span.last)::date
            ORDER BY day LIMIT 1000
            """
        ) { try ReportDay($0) }
        return ReportSnapshot(
            data: ReportData(
                days: days,
                people: try people(scope, connection),
                contexts: try contexts(app, connection)
            ),
            asOfMs: asOfMs,
            dataThroughMs: dataThroughMs
        )
    }

    private static func freshness(_ scope: SQL, _ connection: isolated PostgresConnection) throws -> (
        Int64, Int64
    ) {
        let times = try connection.first(
            "SELECT now(), least(now(), (SELECT min(marked_at) FROM dirty_days WHERE \(scope))) LIMIT 1"
        ) { (try $0.timestampMs(0), try $0.timestampMs(1)) }
        return times ?? (0, 0)
    }

    private static func people(_ scope: SQL, _ connection: isolated PostgresConnection) throws -> PeopleMap {
        let installs = try connection.rows(
            """
            SELECT install_no, coalesce(owner_no, 0),
                   first_at, first_insert_id, coalesce(first_context_no, 0),
                   anonymous_first_at, anonymous_first_insert_id, coalesce(anonymous_first_context_no, 0)
            FROM installs WHERE \(scope) ORDER BY install_no LIMIT 1000000000
            """
        ) { row in
            PeopleMap.Install(
                number: try row.int32(0),
                owner: try row.int32(1),
                first: try PeopleMap.FirstEvent(row, at: 2),
                anonymousFirst: try PeopleMap.FirstEvent(row, at: 5)
            )
        }
        let users = try connection.rows(
            """
            SELECT user_no, first_at, first_insert_id, coalesce(first_context_no, 0)
            FROM users WHERE \(scope) ORDER BY user_no LIMIT 1000000000
            """
        ) { row in
            PeopleMap.User(number: try row.int32(0), first: try PeopleMap.FirstEvent(row, at: 1))
        }
        return PeopleMap(installs: installs, users: users)
    }

    private static func contexts(
        _ app: AppRecord,
        _ connection: isolated PostgresConnection
    ) throws -> [Int32: ReportContext] {
        let rows = try connection.rows(
            """
            SELECT context_no, platform, app_version, os_name, country FROM contexts
            WHERE app_no = \(app.number) ORDER BY context_no LIMIT 100000000
            """
        ) { row in
            let context = ReportContext(
                platform: try row.string(1),
                appVersion: try row.optionalString(2),
                osName: try row.optionalString(3),
                country: try row.optionalString(4)
            )
            return (try row.int32(0), context)
        }
        return Dictionary(rows) { first, _ in first }
    }
}

extension ReportDay {
    fileprivate init(_ row: borrowing Row) throws {
        let (first, end) = (try row.timestampMs(1), try row.timestampMs(2))
        self.init(
            day: try row.localDay(0),
            bounds: first..<max(first, end),
            block: try DayBlockCodec.decode(try row.bytes(3))
        )
    }
}

extension PeopleMap.FirstEvent {
    /// Three columns: the moment, the insert id, the context; nil without a moment.
    fileprivate init?(_ row: borrowing Row, at column: Int) throws {
        guard let ms = try row.optionalTimestampMs(column) else { return nil }
        let id = try row.optionalUUID(column + 1) ?? (0, 0)
        self.init(ms: ms, insertID: UUID128(high: id.0, low: id.1), context: try row.int32(column + 2))
    }
}
