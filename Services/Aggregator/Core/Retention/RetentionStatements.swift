import Calendar
import Postgres
import Schema

/// The statements of an expiry run; each touches a bounded number of rows.
enum RetentionStatements {
    static let daysMax = 500
    /// Numbers of installs or users looked at in one transaction.
    static let numbersMax = 20_000

    static func closedDays(before horizon: RetentionHorizon) -> SQL {
        """
        SELECT d.app_no, d.environment, d.day, d.zone_version
        FROM closed_days d JOIN apps a ON a.app_no = d.app_no AND a.zone_version = d.zone_version
        WHERE d.first_at < \(PostgresTimestamp(ms: horizon.keptFromMs))::timestamptz
        ORDER BY d.app_no, d.environment, d.day LIMIT \(daysMax)
        """
    }

    /// Days with marks that may be expired; a local day begins at most a day before its date in UTC.
    static func marked(before horizon: RetentionHorizon) -> SQL {
        """
        SELECT DISTINCT m.app_no, m.environment, m.day, m.zone_version, a.timezone
        FROM dirty_days m JOIN apps a ON a.app_no = m.app_no AND a.zone_version = m.zone_version
        WHERE m.day <= \(horizon.firstDay.advanced(by: 1))::date
        ORDER BY m.app_no, m.environment, m.day LIMIT 100000
        """
    }

    static let partitions: SQL = """
        SELECT c.relname::text, pg_total_relation_size(c.oid)
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass ORDER BY c.relname LIMIT 100000
        """

    /// The worlds that have numbers, with the last of each kind.
    static let worlds: SQL = """
        SELECT app_no, environment, install_last, user_last FROM number_counters
        ORDER BY app_no, environment LIMIT 1000000
        """

    static func staleOffsets(nowMs: Int64) -> SQL {
        """
        SELECT topic, partition FROM consumer_offsets
        WHERE updated_at < \(PostgresTimestamp(ms: nowMs))::timestamptz - interval '60 days'
        ORDER BY topic, partition LIMIT 100000
        """
    }

    static func deleteOffsets(_ topic: String, _ partitions: [Int32], nowMs: Int64) -> SQL {
        """
        DELETE FROM consumer_offsets WHERE topic = \(topic) AND partition = ANY(\(partitions)::integer[])
          AND updated_at < \(PostgresTimestamp(ms: nowMs))::timestamptz - interval '60 days'
        """
    }
}

/// One world's people whose last activity has expired, by ranges of their numbers.
///
/// A user who owns an install that stays is kept however long ago they signed in: the install's anonymous events are theirs.
struct ExpiredPeople {
    let app: Int32
    let environment: Int16
    /// The first UTC day of activity that keeps somebody.
    let keptFrom: LocalDay

    private var whose: SQL { "app_no = \(app) AND environment = \(environment)" }

    private func installs(in numbers: ClosedRange<Int32>) -> SQL {
        """
        \(whose) AND install_no BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)
          AND last_day < \(keptFrom)::date
        """
    }

    private func users(in numbers: ClosedRange<Int32>) -> SQL {
        """
        u.app_no = \(app) AND u.environment = \(environment)
          AND u.user_no BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound) AND u.last_day < \(keptFrom)::date
          AND NOT EXISTS (
            SELECT FROM user_installs l
            JOIN installs i ON i.app_no = l.app_no AND i.environment = l.environment AND i.install_no = l.install_no
            WHERE l.app_no = u.app_no AND l.environment = u.environment AND l.user_no = u.user_no
              AND i.owner_no = u.user_no AND i.last_day >= \(keptFrom)::date)
        """
    }

    func countInstalls(in numbers: ClosedRange<Int32>) -> SQL {
        "SELECT count(*) FROM installs WHERE \(installs(in: numbers)) LIMIT 1"
    }

    func countUsers(in numbers: ClosedRange<Int32>) -> SQL {
        "SELECT count(*) FROM users u WHERE \(users(in: numbers)) LIMIT 1"
    }

    /// Returns how many installs and links went.
    func deleteInstalls(in numbers: ClosedRange<Int32>) -> SQL {
        """
        WITH gone AS (
            DELETE FROM installs WHERE \(installs(in: numbers)) RETURNING install_no
        ), links AS (
            DELETE FROM user_installs l USING gone g
            WHERE l.app_no = \(app) AND l.environment = \(environment) AND l.install_no = g.install_no RETURNING 1
        )
        SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM links) LIMIT 1
        """
    }

    /// Returns how many users and links went.
    func deleteUsers(in numbers: ClosedRange<Int32>) -> SQL {
        """
        WITH gone AS (
            DELETE FROM users u WHERE \(users(in: numbers)) RETURNING u.user_no
        ), links AS (
            DELETE FROM user_installs l USING gone g
            WHERE l.app_no = \(app) AND l.environment = \(environment) AND l.user_no = g.user_no RETURNING 1
        )
        SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM links) LIMIT 1
        """
    }
}
