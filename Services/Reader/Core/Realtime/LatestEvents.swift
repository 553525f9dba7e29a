import Contracts
import JSON
import Postgres
import Schema

/// Events as they came, the newest first.
struct LatestEvent: Sendable {
    var insertID: UUID128
    var name: EventName
    var environment: AppEnvironment
    var eventTimeMs: Int64
    var clientTimeMs: Int64
    var receivedAtMs: Int64
    var installID: UUID128
    var person: PersonKey
    var context: ClientContext

    /// - Parameters:
    ///   - lookedAt: how many of the newest events a filter is applied to, so that a rare platform never costs a walk through history.
    ///   - untilMs: what lies after it is left out; nil for everything.
    static func newest(
        _ limit: Int,
        of app: Int32,
        _ environment: AppEnvironment,
        untilMs: Int64? = nil,
        platforms: [String]? = nil,
        lookedAt: Int = 10_000
    ) -> SQL {
        let until = untilMs.map { PostgresTimestamp(ms: $0) }
        let bound: SQL = until == nil ? "" : "AND event_time <= \(until)::timestamptz"
        return """
            SELECT e.insert_id, e.kind, e.environment, e.event_time, e.client_time, e.received_at, i.install_id,
                   u.user_id, \(ClientContext.columns)
            FROM (
                SELECT e.* FROM (
                    SELECT * FROM events WHERE app_no = \(app) AND environment = \(environment.code) \(bound)
                    ORDER BY event_time DESC, insert_id DESC LIMIT \(platforms == nil ? limit : lookedAt)
                ) e
                JOIN contexts c ON c.context_no = e.context_no
                WHERE \(platforms)::text[] IS NULL OR c.platform = ANY (\(platforms)::text[])
                ORDER BY e.event_time DESC, e.insert_id DESC LIMIT \(limit)
            ) e
            JOIN contexts c ON c.context_no = e.context_no
            CROSS JOIN LATERAL (
                SELECT install_id, owner_no FROM installs
                WHERE app_no = \(app) AND environment = \(environment.code) AND install_no = e.install_no LIMIT 1
            ) i
            LEFT JOIN LATERAL (
                SELECT user_id FROM users
                WHERE app_no = \(app) AND environment = \(environment.code)
                  AND user_no = coalesce(e.user_no, i.owner_no) LIMIT 1
            ) u ON true
            ORDER BY e.event_time DESC, e.insert_id DESC LIMIT \(limit)
            """
    }

    init(_ row: borrowing Row) throws {
        insertID = try row.uuid128(0)
        name = try row.int(1) == EventName.sessionStart.code ? .sessionStart : .sessionEnd
        environment = AppEnvironment(code: Int16(truncatingIfNeeded: try row.int(2))) ?? .production
        eventTimeMs = try row.timestampMs(3)
        clientTimeMs = try row.timestampMs(4)
        receivedAtMs = try row.timestampMs(5)
        installID = try row.uuid128(6)
        person = try row.optionalString(7).map(PersonKey.user) ?? .install(installID)
        context = try ClientContext(row, at: 8)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("insert_id", insertID)
        writer.member("name", name.rawValue)
        writer.member("event_time", atMs: eventTimeMs)
        writer.member("client_time", atMs: clientTimeMs)
        writer.member("received_at", atMs: receivedAtMs)
        writer.member("install_id", installID)
        writer.member("person_key", person.description)
        context.write(to: &writer)
    }
}
