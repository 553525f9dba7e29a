import Calendar
import Contracts
import JSON
import Postgres
import Schema

/// `GET /v1/apps/{app_id}/integration/health`: whether an app sends, and what is turned away.
///
/// Parameter: `environment`; without it both, since a first event is usually sent from development. Refusals carry no environment and are
/// always of both. Hours are those events and refusals were received in; an event that happened more than an hour before the first hour
/// shown is not counted.
struct HealthAPI {
    static let eventsMax = 20

    private let environments: [AppEnvironment]

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        guard let name = try query.value("environment") else {
            environments = AppEnvironment.allCases
            return
        }
        guard let environment = AppEnvironment(rawValue: name) else {
            throw ReadRefusal(.invalidRequest, field: "environment")
        }
        environments = [environment]
    }

    private struct Found: Sendable {
        var firstMs: Int64?
        var lastMs: Int64?
        var accepted: AcceptedEvents
        var rejected: RejectedEvents
        var events: [LatestEvent]
    }

    func answer(_ app: AppRecord, nowMs: Int64, _ connection: PostgresConnection) async throws -> [UInt8] {
        let zone = try LocalZone(named: app.timezone)
        let window = HealthWindow(zone, nowMs: nowMs)
        let (environments, number) = (environments, app.number)
        let found = try await connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            var first: [Int64] = []
            var events: [LatestEvent] = []
            // One after the other: the index has an order within an environment only.
            for environment in environments {
                let earliest: SQL = """
                    SELECT event_time FROM events WHERE app_no = \(number) AND environment = \(environment.code)
                    ORDER BY event_time LIMIT 1
                    """
                first += try connection.rows(earliest) { try $0.timestampMs(0) }
                let newest = LatestEvent.newest(Self.eventsMax, of: number, environment)
                events += try connection.rows(newest) { try LatestEvent($0) }
            }
            events.sort { ($1.eventTimeMs, $1.insertID) < ($0.eventTimeMs, $0.insertID) }
            return Found(
                firstMs: first.min(),
                lastMs: events.first?.eventTimeMs,
                accepted: try AcceptedEvents.read(number, environments, window, connection),
                rejected: try RejectedEvents.read(number, window, connection),
                events: Array(events.prefix(Self.eventsMax))
            )
        }
        return json(found, window, zone)
    }

    private func json(_ found: Found, _ window: HealthWindow, _ zone: LocalZone) -> [UInt8] {
        var writer = JSONWriter(reservingBytes: 16_384)
        writer.beginObject()
        writer.member("first_event_at", atMs: found.firstMs)
        writer.member("last_event_at", atMs: found.lastMs)
        writer.member("accepted", found.accepted.byHour.values.reduce(0, +))
        writer.member("rejected", found.rejected.total)
        writer.members("points", window.starts.enumerated()) { hour, writer in
            writer.member("ts", atMs: hour.element, in: zone)
            writer.member("accepted", found.accepted.byHour[hour.offset + 1] ?? 0)
            writer.member("rejected", found.rejected.byHour[hour.offset + 1] ?? 0)
        }
        writer.members("reasons", found.rejected.reasons) {
            Self.write($0, of: found.rejected.total, to: &$1)
        }
        writer.members("clients", found.accepted.clients) { client, writer in
            writer.member("platform", client.platform)
            writer.member("app_version", client.appVersion)
            writer.member("events", client.events)
            writer.member("last_seen", atMs: client.lastSeenMs)
        }
        writer.members("events", found.events) { event, writer in
            event.write(to: &writer)
            writer.member("environment", event.environment.rawValue)
        }
        writer.members("rejections", found.rejected.latest) { rejection, writer in
            writer.member("received_at", atMs: rejection.receivedAtMs)
            writer.member("code", rejection.code)
            writer.member("field", rejection.field)
            writer.member("platform", rejection.platform)
            writer.member("app_version", rejection.appVersion)
            writer.member("insert_id", rejection.insertID)
        }
        writer.member("as_of", atMs: window.nowMs)
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ reason: RejectedEvents.Reason, of total: Int, to writer: inout JSONWriter) {
        writer.member("code", reason.code)
        writer.member("count", reason.count)
        writer.key("share")
        writer.share(reason.count, of: total)
        writer.members("fields", reason.fields) { field, writer in
            writer.member("field", field.field)
            writer.member("count", field.count)
        }
        writer.members("clients", reason.clients) { client, writer in
            writer.member("platform", client.platform)
            writer.member("app_version", client.appVersion)
            writer.member("count", client.count)
        }
    }
}
