import Calendar
import Contracts
import JSON
import Postgres
import Schema

/// `GET /v1/apps/{app_id}/realtime`: who is there now, from raw events.
///
/// Parameters: `environment`, `platform` (repeatable). Everything is decided by `event_time`, so events that arrive late or again raise
/// nothing, and what was erased is gone with the next answer. Times are the reader's clock.
struct RealtimeAPI {
    static let windowMinutes = 30
    static let eventsMax = 50
    private static let minuteMs: Int64 = 60_000

    let environment: AppEnvironment
    /// Nil for all.
    let platforms: [String]?

    init(_ query: inout QueryParameters) throws(ReadRefusal) {
        environment = try query.choice("environment", default: .production)
        let given = query.values("platform")
        guard given.allSatisfy({ Platform(rawValue: $0) != nil }) else {
            throw ReadRefusal(.invalidRequest, field: "platform")
        }
        platforms = given.isEmpty ? nil : given
    }

    private struct Found: Sendable {
        var activeNow: Int
        /// By the minute's first instant.
        var sessions: [Int64: Int]
        var events: [LatestEvent]
    }

    func answer(_ app: AppRecord, nowMs: Int64, _ connection: PostgresConnection) async throws -> [UInt8] {
        let zone = try LocalZone(named: app.timezone)
        let statements = RealtimeStatements(
            app: app.number,
            environment: environment,
            platforms: platforms,
            nowMs: nowMs
        )
        let latest = LatestEvent.newest(
            Self.eventsMax,
            of: app.number,
            environment,
            untilMs: nowMs,
            platforms: platforms
        )
        let found = try await connection.transaction { connection in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let minutes = try connection.rows(statements.sessions) { (try $0.int64(0), try $0.int(1)) }
            return Found(
                activeNow: try connection.first(statements.activeNow) { try $0.int(0) } ?? 0,
                sessions: Dictionary(minutes) { first, _ in first },
                events: try connection.rows(latest) { try LatestEvent($0) }
            )
        }
        var writer = JSONWriter(reservingBytes: 4_096 + found.events.count * 500)
        writer.beginObject()
        writer.member("active_now", found.activeNow)
        writer.member("window_minutes", Self.windowMinutes)
        writer.members("points", statements.minutes) { startMs, writer in
            writer.member("minute", atMs: startMs, in: zone)
            writer.member("sessions", found.sessions[startMs] ?? 0)
        }
        writer.members("events", found.events) { $0.write(to: &$1) }
        writer.member("as_of", atMs: nowMs)
        writer.endObject()
        return writer.bytes
    }
}

/// Reads the last half hour of one app's environment by its time.
struct RealtimeStatements {
    let app: Int32
    let environment: AppEnvironment
    let platforms: [String]?
    let nowMs: Int64
    private static let minuteMs: Int64 = 60_000

    private var windowMs: Int64 { Int64(RealtimeAPI.windowMinutes) * Self.minuteMs }

    /// First instants of the last thirty minutes of the clock, the running one included.
    var minutes: [Int64] {
        let running = nowMs - (nowMs % Self.minuteMs + Self.minuteMs) % Self.minuteMs
        return (0..<Int64(RealtimeAPI.windowMinutes)).reversed().map { running - $0 * Self.minuteMs }
    }

    /// Events from an instant on and not after now, of the platforms asked for.
    private func events(fromMs: Int64) -> SQL {
        let from = PostgresTimestamp(ms: fromMs)
        let now = PostgresTimestamp(ms: nowMs)
        return """
            e.app_no = \(app) AND e.environment = \(environment.code)
              AND e.event_time >= \(from)::timestamptz AND e.event_time <= \(now)::timestamptz
              AND (\(platforms)::text[] IS NULL OR e.context_no IN (
                  SELECT context_no FROM contexts WHERE app_no = \(app) AND platform = ANY (\(platforms)::text[])))
            """
    }

    /// Distinct people with an event at most thirty minutes old; an anonymous one is its install's first owner's.
    var activeNow: SQL {
        """
        SELECT count(DISTINCT p.user_no) + count(DISTINCT p.install_no) FILTER (WHERE p.user_no IS NULL)
        FROM (
            SELECT e.install_no, coalesce(e.user_no, (
                SELECT i.owner_no FROM installs i
                WHERE i.app_no = \(app) AND i.environment = \(environment.code) AND i.install_no = e.install_no
            )) AS user_no
            FROM (
                SELECT DISTINCT user_no, install_no FROM events e WHERE \(events(fromMs: nowMs - windowMs))
            ) e
        ) p LIMIT 1
        """
    }

    /// Sessions by the minute they began in, as (first millisecond, count).
    ///
    /// A start counts unless the same install started the same session in the 25 hours before it.
    var sessions: SQL {
        """
        SELECT floor(extract(epoch FROM e.event_time) / 60)::bigint * 60000 AS minute, count(*)
        FROM events e
        WHERE e.kind = 1 AND \(events(fromMs: minutes.first ?? nowMs)) AND NOT EXISTS (
            SELECT FROM events p
            WHERE p.app_no = e.app_no AND p.environment = e.environment AND p.install_no = e.install_no
              AND p.event_time >= e.event_time - interval '25 hours' AND p.event_time <= e.event_time
              AND p.kind = 1 AND p.session_id = e.session_id
              AND (p.event_time, p.insert_id) < (e.event_time, e.insert_id)
            -- Asked for each start by its install; without this it becomes a join with all there ever was.
            OFFSET 0)
        GROUP BY 1 ORDER BY 1 LIMIT 100
        """
    }
}
