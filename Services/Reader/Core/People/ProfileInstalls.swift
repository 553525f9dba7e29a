import Contracts
import JSON
import Postgres
import Schema

/// An install of a person: the first and the latest of what they did on it, and the device as the latest event told of it.
struct ProfileInstall: Sendable {
    /// Somebody may have thousands: the latest used are listed, and all are counted.
    static let listedMax = 1_000

    var installID: UUID128
    var firstSeenMs: Int64
    var lastSeenMs: Int64
    var context: ClientContext

    init(_ row: borrowing Row) throws {
        installID = try row.uuid128(0)
        firstSeenMs = try row.timestampMs(1)
        lastSeenMs = try row.timestampMs(2)
        context = try ClientContext(row, at: 3)
    }

    static func statement(_ person: Person) -> SQL {
        let events: SQL = """
            SELECT e.event_time, e.context_no FROM events e
            WHERE \(person.eventsOfInstall) AND \(person.ownsEvent)
              AND e.event_time >= i.first_at AND e.event_time < ((i.last_day + 1)::timestamp AT TIME ZONE 'UTC')
            """
        return """
            SELECT i.install_id, f.event_time, l.event_time, \(ClientContext.columns)
            FROM (
                SELECT i.* FROM (\(person.installsSelection)) i
                ORDER BY i.last_day DESC, i.install_no DESC LIMIT \(listedMax)
            ) i
            CROSS JOIN LATERAL (\(events) ORDER BY e.event_time DESC, e.insert_id DESC LIMIT 1) l
            CROSS JOIN LATERAL (\(events) ORDER BY e.event_time LIMIT 1) f
            JOIN contexts c ON c.context_no = l.context_no
            ORDER BY l.event_time DESC, i.install_id LIMIT \(listedMax)
            """
    }

    func write(to writer: inout JSONWriter) {
        writer.member("install_id", installID)
        writer.member("first_seen", atMs: firstSeenMs)
        writer.member("last_seen", atMs: lastSeenMs)
        context.write(to: &writer)
    }
}

/// A device and build somebody was seen with.
struct ProfileDevice: Sendable, Equatable {
    var context: ClientContext
    var lastSeenMs: Int64

    /// Those of the listed installs and of the newest sessions, the last seen first.
    static func distinct(_ installs: [ProfileInstall], _ sessions: [ProfileSession]) -> [ProfileDevice] {
        var lastSeenMs: [ClientContext: Int64] = [:]
        let seen =
            installs.map { ($0.context.device, $0.lastSeenMs) }
            + sessions.map { ($0.context.device, $0.startedAtMs) }
        for (device, ms) in seen { lastSeenMs[device] = max(lastSeenMs[device] ?? ms, ms) }
        return lastSeenMs.map { ProfileDevice(context: $0.key, lastSeenMs: $0.value) }.sorted {
            ($1.lastSeenMs, $0.context.orderText) < ($0.lastSeenMs, $1.context.orderText)
        }
    }

    func write(to writer: inout JSONWriter) {
        context.writeDevice(to: &writer)
        writer.member("last_seen", atMs: lastSeenMs)
    }
}

extension ClientContext {
    /// So that equal times have an order.
    fileprivate var orderText: String {
        [platform, deviceType, deviceModel, osName, osVersion, appVersion].map { $0 ?? "" }
            .joined(separator: "\u{1F}")
    }
}
