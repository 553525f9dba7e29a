import Postgres
import Schema

/// Goes back through a person's time in ever longer windows, until enough is found.
///
/// Somebody on thousands of installs has most events of any window on few of them. Each window looks only at installs that were used in it,
/// each by its index and in the months of the window, so what a page costs follows what is on it and not what is in the history.
struct BackwardWalk {
    private static let firstWindowMs: Int64 = 32 * 86_400_000
    private static let growth: Int64 = 4

    /// Instants, the end excluded.
    struct Window: Sendable {
        var startMs: Int64
        var endMs: Int64

        var start: PostgresTimestamp { PostgresTimestamp(ms: startMs) }
        var end: PostgresTimestamp { PostgresTimestamp(ms: endMs) }

        /// An event `e` lies in it.
        var holdsEvent: SQL { "e.event_time >= \(start)::timestamptz AND e.event_time < \(end)::timestamptz" }
    }

    let person: Person

    /// Calls `body` for window after window from `endMs` back; stops when it returns true, or before the first event.
    func run(endMs: Int64, _ body: (Window) throws -> Bool) rethrows {
        var end = min(endMs, person.lastDayEndMs)
        var lengthMs = Self.firstWindowMs
        while end > person.firstSeenMs {
            let start = max(person.firstSeenMs, end - lengthMs)
            if try body(Window(startMs: start, endMs: end)) { return }
            end = start
            lengthMs *= Self.growth
        }
    }

    /// The person's installs that were used in a window.
    func installs(in window: Window) -> SQL {
        """
        SELECT i.* FROM (\(person.installsSelection)) i
        WHERE i.first_at < \(window.end)::timestamptz
          AND i.last_day >= (\(window.start)::timestamptz AT TIME ZONE 'UTC')::date
        """
    }

    /// When the person was last seen.
    func lastSeenMs(_ connection: isolated PostgresConnection) throws -> Int64? {
        var found: Int64?
        try run(endMs: .max) { window in
            let statement: SQL = """
                SELECT max(l.event_time) FROM (\(installs(in: window))) i
                CROSS JOIN LATERAL (
                    SELECT e.event_time FROM events e
                    WHERE \(person.eventsOfInstall) AND \(window.holdsEvent) AND \(person.ownsEvent)
                    ORDER BY e.event_time DESC LIMIT 1
                ) l LIMIT 1
                """
            found = try connection.first(statement) { try $0.optionalTimestampMs(0) } ?? nil
            return found != nil
        }
        return found
    }
}
