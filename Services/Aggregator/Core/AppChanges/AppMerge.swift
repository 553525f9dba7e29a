import Contracts
import Postgres
import Schema

/// A merge that was begun.
struct AppMerge: Sendable {
    let source: Int32
    let target: Int32
    let targetID: UUID128
    let targetZone: String

    static let running: SQL = """
        SELECT m.source_app_no, m.target_app_no, a.app_id, a.timezone
        FROM app_merges m JOIN apps a ON a.app_no = m.target_app_no
        WHERE m.status = 'running' ORDER BY m.merge_id LIMIT 1000
        """

    init(_ row: borrowing Row) throws {
        source = try row.int32(0)
        target = try row.int32(1)
        targetID = try row.uuid128(2)
        targetZone = try row.string(3)
    }
}

/// The statements of a merge beside those that store its events.
struct MergeStatements {
    let merge: AppMerge
    private var source: Int32 { merge.source }
    private var target: Int32 { merge.target }

    /// Makes contexts of the source known to the target; they are the same contexts, so no limit on new ones applies.
    func copyContexts(atMost rows: Int) -> SQL {
        """
        INSERT INTO contexts (app_no, fingerprint, platform, os_name, os_version, app_version, app_build,
                              device_model, device_type, locale, country, city)
        SELECT \(target), fingerprint, platform, os_name, os_version, app_version, app_build,
               device_model, device_type, locale, country, city
        FROM contexts s
        WHERE app_no = \(source) AND NOT EXISTS (
            SELECT FROM contexts t WHERE t.app_no = \(target) AND t.fingerprint = s.fingerprint)
        ORDER BY fingerprint LIMIT \(rows)
        ON CONFLICT DO NOTHING
        """
    }

    /// The oldest events that are still the source's.
    func events(of environment: AppEnvironment, fromMs: Int64, atMost rows: Int) -> SQL {
        """
        SELECT e.kind, e.event_time, e.received_at, e.client_time, e.insert_id, e.session_id, i.install_id, u.user_id,
               e.duration_ms, c.platform, c.os_name, c.os_version, c.app_version, c.app_build, c.device_model,
               c.device_type, c.locale, c.country, c.city
        FROM (
            SELECT * FROM events
            WHERE app_no = \(source) AND environment = \(environment.code)
              AND event_time >= \(PostgresTimestamp(ms: fromMs))::timestamptz
            ORDER BY event_time LIMIT \(rows)
        ) e
        LEFT JOIN installs i ON i.app_no = e.app_no AND i.environment = e.environment AND i.install_no = e.install_no
        LEFT JOIN users u ON u.app_no = e.app_no AND u.environment = e.environment AND u.user_no = e.user_no
        LEFT JOIN contexts c ON c.app_no = e.app_no AND c.context_no = e.context_no
        ORDER BY e.event_time, e.insert_id LIMIT \(rows)
        """
    }

    func deleteEvents(_ insertIDs: [UUID128], of environment: AppEnvironment, in times: ClosedRange<Int64>)
        -> SQL
    {
        """
        DELETE FROM events
        WHERE app_no = \(source) AND environment = \(environment.code) AND insert_id = ANY(\(insertIDs.map(\.description))::uuid[])
          AND event_time >= \(PostgresTimestamp(ms: times.lowerBound))::timestamptz
          AND event_time < \(PostgresTimestamp(ms: times.upperBound + 1))::timestamptz
        """
    }

    func noteProgress(moved: Int, dropped: Int) -> SQL {
        """
        UPDATE app_merges
        SET events_moved = events_moved + \(moved), events_dropped = events_dropped + \(dropped), error = NULL
        WHERE source_app_no = \(source) AND status = 'running'
        """
    }
}
