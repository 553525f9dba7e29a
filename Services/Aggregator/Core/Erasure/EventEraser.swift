import Calendar
import Contracts
import Postgres
import Schema

/// Which stored events of one environment go.
struct Victims: Sendable {
    let app: Int32
    let environment: Int16
    /// Part of a WHERE that the index by install can answer.
    let condition: SQL

    /// Everything of an install.
    static func everything(of install: Int32, app: Int32, environment: Int16) -> Victims {
        Victims(app: app, environment: environment, condition: "install_no = \(install)")
    }

    /// What a user sent from some installs, and what those of them that were the user's sent without naming anybody.
    static func events(
        of user: Int32,
        installs: [Int32],
        owned: [Int32],
        app: Int32,
        environment: Int16
    ) -> Victims {
        Victims(
            app: app,
            environment: environment,
            condition: """
                install_no = ANY(\(installs)::integer[])
                AND (user_no = \(user) OR user_no IS NULL AND install_no = ANY(\(owned)::integer[]))
                """
        )
    }

    /// What an install sent without naming anybody, as far as a rule reaches.
    static func anonymous(of install: Int32, rule: SuppressionRule, app: Int32, environment: Int16) -> Victims
    {
        var condition: SQL = "install_no = \(install) AND user_no IS NULL"
        if let finishedAtMs = rule.finishedAtMs {
            condition += """
                 AND (received_at <= \(PostgresTimestamp(ms: finishedAtMs))::timestamptz
                    OR event_time < \(PostgresTimestamp(ms: rule.requestedAtMs))::timestamptz)
                """
        }
        return Victims(app: app, environment: environment, condition: condition)
    }
}

/// Deletes events and marks their days, in the caller's transaction.
struct EventEraser: Sendable {
    private struct Event: Sendable {
        let timeMs: Int64
        let insertID: UUID128
        let receivedAtMs: Int64
    }

    /// Whose end must not lie before what it erases was received; nil once that end is fixed.
    let request: UUID128?
    let eventsMax: Int

    /// Deletes at most `eventsMax` events and returns how many.
    func erase(_ victims: Victims, _ connection: isolated PostgresConnection) throws -> Int {
        let events = try connection.rows(
            """
            SELECT event_time, insert_id, received_at FROM events
            WHERE app_no = \(victims.app) AND environment = \(victims.environment) AND \(victims.condition)
            LIMIT \(eventsMax)
            """
        ) {
            Event(
                timeMs: try $0.timestampMs(0),
                insertID: try $0.uuid128(1),
                receivedAtMs: try $0.timestampMs(2)
            )
        }
        guard !events.isEmpty else { return 0 }
        let utc = LocalZone.utc
        // An insert id is unique in its month, and naming the month spares a look into every other one.
        for (month, own) in Dictionary(grouping: events, by: { utc.day(ofMs: $0.timeMs).firstOfMonth }) {
            let first = utc.bounds(of: month).lowerBound
            let end = utc.bounds(of: month.advanced(by: 31).firstOfMonth).lowerBound
            try connection.execute(
                """
                DELETE FROM events
                WHERE app_no = \(victims.app) AND insert_id = ANY(\(own.map(\.insertID.description))::uuid[])
                  AND event_time >= \(PostgresTimestamp(ms: first))::timestamptz
                  AND event_time < \(PostgresTimestamp(ms: end))::timestamptz
                """
            )
        }
        try mark(events, victims, connection)
        try deleteRejections(of: events, victims.app, connection)
        if let request, let latest = events.map(\.receivedAtMs).max() {
            try connection.execute(ErasureStatements.noteReceipt(of: request, ms: latest))
        }
        return events.count
    }

    /// Always adds marks, even where one lies: a closing that runs may be about to delete that one.
    private func mark(_ events: [Event], _ victims: Victims, _ connection: isolated PostgresConnection) throws
    {
        try ZoneMarks.add(
            app: victims.app,
            environment: victims.environment,
            timesMs: events.map(\.timeMs),
            cause: .erasure,
            connection
        )
    }

    /// A copy of an erased event that was refused once, say because it came too late, is the person's as well.
    private func deleteRejections(
        of events: [Event],
        _ app: Int32,
        _ connection: isolated PostgresConnection
    ) throws {
        let isThere = try connection.first("SELECT to_regclass('rejections') IS NOT NULL LIMIT 1") {
            try $0.bool(0)
        }
        guard isThere == true else { return }
        try connection.execute(
            """
            DELETE FROM rejections
            WHERE app_no = \(app) AND insert_id = ANY(\(events.map(\.insertID.description))::uuid[])
            """
        )
    }
}
