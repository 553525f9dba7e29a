import Calendar
import Contracts
import Postgres
import Schema

/// The statements of a closing.
enum DayStatements {
    /// Set while the events of a day are read.
    ///
    /// A month without statistics, as each is on its first day, looks like a handful of rows: joined row by row, a day takes minutes. No
    /// index begins with a session's id, so that is never the better way. Other statements have joins that are done in no other way:
    /// forbidden, they look so dear that each would be compiled first.
    static let planning: SQL = "SET LOCAL enable_nestloop = off"
    static let usualPlanning: SQL = "SET LOCAL enable_nestloop = on"

    /// The latest mark there is; whoever closes beside stores that go on marking needs an end.
    static let lastMark: SQL = "SELECT coalesce(max(mark_no), 0) FROM dirty_days LIMIT 1"

    /// Days that wait since a mark or before, and neighbours of closed days, oldest mark first; only the oldest marks are looked at, for a
    /// backlog leaves many.
    static func waiting(through lastMark: Int64, limit: Int) -> SQL {
        """
        SELECT app_no, environment, zone_version, day FROM (
            SELECT app_no, environment, zone_version, day, mark_no FROM dirty_days
            WHERE mark_no <= \(lastMark) OR cause = \(DayCause.neighbour.rawValue)
            ORDER BY mark_no LIMIT \(marksMax)
        ) oldest
        GROUP BY app_no, environment, zone_version, day ORDER BY min(mark_no) LIMIT \(limit)
        """
    }

    private static let marksMax = 10_000

    static func marks(of key: DayKey) -> SQL {
        """
        SELECT mark_no, cause FROM dirty_days
        WHERE \(key.zoneScope) AND day = \(key.day)::date
        ORDER BY mark_no LIMIT 1000000
        """
    }

    /// The events of the day, and those around it that share a session with it or whose session spans it.
    ///
    /// The outer parts of the window are read for their session ids only, by the index on time. The ids are not made distinct: that would
    /// sort a whole day, and membership does not mind.
    static func events(of key: DayKey, bounds: Range<Int64>) -> SQL {
        let columns: SQL =
            """
            kind, event_time, insert_id, session_id, install_no, coalesce(user_no, 0), coalesce(duration_ms, -1), context_no
            """
        let whose: SQL = "app_no = \(key.app) AND environment = \(key.environment)"
        let first: SQL = "\(PostgresTimestamp(ms: bounds.lowerBound))::timestamptz"
        let end: SQL = "\(PostgresTimestamp(ms: bounds.upperBound))::timestamptz"
        let span = ClosingWindow.spanMs
        return """
            WITH ids AS (
                SELECT session_id FROM events
                WHERE \(whose) AND event_time >= \(first) AND event_time < \(end)
                UNION ALL
                SELECT s.session_id FROM events s
                WHERE \(whose) AND s.kind = 1 AND s.event_time < \(first)
                  AND s.event_time >= \(PostgresTimestamp(ms: bounds.upperBound - span))::timestamptz
                  AND s.session_id IN (
                    SELECT e.session_id FROM events e
                    WHERE \(whose) AND e.event_time >= \(end)
                      AND e.event_time < \(PostgresTimestamp(ms: bounds.lowerBound + span))::timestamptz)
            )
            SELECT \(columns) FROM events
            WHERE \(whose) AND event_time >= \(first) AND event_time < \(end)
            UNION ALL
            SELECT \(columns) FROM events
            WHERE \(whose) AND session_id IN (SELECT session_id FROM ids)
              AND (event_time >= \(PostgresTimestamp(ms: bounds.lowerBound - ClosingWindow.beforeMs))::timestamptz
                    AND event_time < \(first)
                OR event_time >= \(end)
                    AND event_time < \(PostgresTimestamp(ms: bounds.upperBound + ClosingWindow.afterMs))::timestamptz)
            """
    }

    /// For one day's ids in memory; more than one closing at a time needs a place for each.
    static let memory: SQL = "SET LOCAL work_mem = '64MB'"
    /// Compiling takes longer than it saves.
    static let withoutCompiling: SQL = "SET LOCAL jit = off"

    static func closed(_ key: DayKey) -> SQL {
        """
        SELECT revision, block, array_to_string(neighbour_days, ','), array_to_string(neighbour_digests, ','),
               first_at, end_at, timezone
        FROM closed_days
        WHERE \(key.zoneScope) AND day = \(key.day)::date LIMIT 1
        """
    }

    /// What days within reach saw of this one: no row, or a row with 0, when they saw nothing.
    static func seenByNeighbours(of key: DayKey) -> SQL {
        """
        SELECT c.day, coalesce(n.digest, 0)
        FROM closed_days c
        LEFT JOIN LATERAL (
            SELECT digest FROM unnest(c.neighbour_days, c.neighbour_digests) AS pair(day, digest)
            WHERE pair.day = \(key.day)::date
        ) n ON true
        WHERE c.app_no = \(key.app) AND c.environment = \(key.environment)
          AND c.zone_version = \(key.zoneVersion)
          AND c.day BETWEEN \(key.day.advanced(by: -5))::date AND \(key.day.advanced(by: 5))::date
          AND c.day <> \(key.day)::date
        ORDER BY c.day LIMIT 20
        """
    }

    static func mark(_ key: DayKey, cause: DayCause) -> SQL {
        """
        INSERT INTO dirty_days (app_no, environment, zone_version, day, cause)
        VALUES (\(key.app), \(key.environment), \(key.zoneVersion), \(key.day)::date, \(cause.rawValue))
        """
    }

    static func deleteMarks(_ numbers: [Int64]) -> SQL {
        "DELETE FROM dirty_days WHERE mark_no = ANY(\(numbers)::bigint[])"
    }
}

extension DayKey {
    /// The rows of the key's app, environment and zone.
    var zoneScope: SQL {
        "app_no = \(app) AND environment = \(environment) AND zone_version = \(zoneVersion)"
    }
}

/// Why a day is rebuilt; kept with the revision so that a changed number can be explained.
public enum DayCause: String, Sendable, CaseIterable {
    case zone, erasure, merge, retention, events, neighbour

    /// The one to name when several came together: what moves most first.
    static func leading(of causes: [DayCause]) -> DayCause {
        allCases.first(where: causes.contains) ?? .events
    }
}
