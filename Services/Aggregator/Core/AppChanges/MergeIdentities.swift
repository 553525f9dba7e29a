import Contracts
import Postgres
import Schema

/// Carries over what the source knows of people from events that have expired.
///
/// Moving events gives the target every fact that an event still tells. What is left are facts older than the horizon: when somebody was first
/// seen, and whose an install became. They follow the same minimum rules, and only for people whom the moved events made known to the target.
struct MergeIdentities {
    let merge: AppMerge
    let environment: AppEnvironment

    private static let numbersMax = 5_000

    func run(_ connection: PostgresConnection, _ shouldStop: @Sendable () -> Bool) async throws {
        let last = try await connection.first(
            """
            SELECT install_last, user_last FROM number_counters
            WHERE app_no = \(merge.source) AND environment = \(environment.code) LIMIT 1
            """
        ) { (installs: try $0.int(0), users: try $0.int(1)) }
        guard let last else { return }
        for first in stride(from: 1, through: last.installs, by: Self.numbersMax) where !shouldStop() {
            try await carry(first...(first + Self.numbersMax - 1), connection) { range in
                [lockCounters, owners(range), firsts("", range), firsts("anonymous_", range), owned(range)]
            }
        }
        for first in stride(from: 1, through: last.users, by: Self.numbersMax) where !shouldStop() {
            try await carry(first...(first + Self.numbersMax - 1), connection) { range in
                [userFirsts(range), links(range)]
            }
        }
    }

    private func carry(
        _ range: ClosedRange<Int>,
        _ connection: PostgresConnection,
        _ statements: (ClosedRange<Int>) -> [SQL]
    ) async throws {
        let statements = statements(range)
        try await connection.transaction { connection in
            _ = try StoreBarrier.enter(connection)
            for statement in statements { _ = try connection.execute(statement) }
        }
    }

    /// Whether a fact of `place` may come from an event that is gone: any local day that begins before the horizon has ended by then.
    private func isOld(_ column: String) -> SQL {
        SQL(unsafe: column) + " < (SELECT kept_from + interval '50 hours' FROM retention_horizon)"
    }

    private var sourceInstalls: SQL { "s.app_no = \(merge.source) AND s.environment = \(environment.code)" }

    private var sameInstall: SQL {
        "t.app_no = \(merge.target) AND t.environment = s.environment AND t.install_id = s.install_id"
    }

    private var lockCounters: SQL {
        """
        SELECT app_no FROM number_counters
        WHERE app_no = \(merge.target) AND environment = \(environment.code) FOR UPDATE
        """
    }

    /// Makes users known who own an install although no event that names them is left.
    private func owners(_ range: ClosedRange<Int>) -> SQL {
        """
        WITH missing AS (
            SELECT user_id, row_number() OVER (ORDER BY user_id) AS position FROM (
                SELECT DISTINCT u.user_id
                FROM installs s
                JOIN installs t ON \(sameInstall)
                JOIN users u ON u.app_no = s.app_no AND u.environment = s.environment AND u.user_no = s.owner_no
                WHERE \(sourceInstalls) AND s.install_no BETWEEN \(range.lowerBound) AND \(range.upperBound)
                  AND \(isOld("s.owner_at")) AND \(isOld("u.last_day::timestamp AT TIME ZONE 'UTC'"))
                  AND NOT EXISTS (
                    SELECT FROM users w
                    WHERE w.app_no = \(merge.target) AND w.environment = s.environment AND w.user_id = u.user_id)
            ) found
        ), numbers AS (
            UPDATE number_counters SET user_last = user_last + (SELECT count(*) FROM missing)
            WHERE app_no = \(merge.target) AND environment = \(environment.code)
            RETURNING user_last - (SELECT count(*) FROM missing) AS base
        )
        INSERT INTO users (app_no, environment, user_id, user_no, last_day)
        SELECT \(merge.target), \(environment.code), m.user_id, n.base + m.position, u.last_day
        FROM missing m CROSS JOIN numbers n
        JOIN users u ON u.app_no = \(merge.source) AND u.environment = \(environment.code) AND u.user_id = m.user_id
        """
    }

    /// - Parameter fact: `""` or `"anonymous_"`, the beginning of three columns' names.
    private func firsts(_ fact: String, _ range: ClosedRange<Int>) -> SQL {
        let at = SQL(unsafe: "\(fact)first_at")
        let id = SQL(unsafe: "\(fact)first_insert_id")
        let context = SQL(unsafe: "\(fact)first_context_no")
        return """
            UPDATE installs t SET \(at) = s.\(at), \(id) = s.\(id), \(context) = c.context_no
            FROM installs s
            LEFT JOIN contexts o ON o.context_no = s.\(context)
            LEFT JOIN contexts c ON c.app_no = \(merge.target) AND c.fingerprint = o.fingerprint
            WHERE \(sourceInstalls) AND s.install_no BETWEEN \(range.lowerBound) AND \(range.upperBound)
              AND \(isOld("s.\(fact)first_at")) AND \(sameInstall)
              AND (t.\(at) IS NULL OR (s.\(at), s.\(id)) < (t.\(at), t.\(id)))
            """
    }

    private func owned(_ range: ClosedRange<Int>) -> SQL {
        """
        UPDATE installs t SET owner_no = w.user_no, owner_at = s.owner_at, owner_insert_id = s.owner_insert_id
        FROM installs s
        JOIN users u ON u.app_no = s.app_no AND u.environment = s.environment AND u.user_no = s.owner_no
        JOIN users w ON w.app_no = \(merge.target) AND w.environment = s.environment AND w.user_id = u.user_id
        WHERE \(sourceInstalls) AND s.install_no BETWEEN \(range.lowerBound) AND \(range.upperBound)
          AND \(isOld("s.owner_at")) AND \(sameInstall)
          AND (t.owner_at IS NULL OR (s.owner_at, s.owner_insert_id) < (t.owner_at, t.owner_insert_id))
        """
    }

    private func userFirsts(_ range: ClosedRange<Int>) -> SQL {
        """
        UPDATE users t
        SET first_at = s.first_at, first_insert_id = s.first_insert_id, first_context_no = c.context_no
        FROM users s
        LEFT JOIN contexts o ON o.context_no = s.first_context_no
        LEFT JOIN contexts c ON c.app_no = \(merge.target) AND c.fingerprint = o.fingerprint
        WHERE \(sourceInstalls) AND s.user_no BETWEEN \(range.lowerBound) AND \(range.upperBound)
          AND \(isOld("s.first_at"))
          AND t.app_no = \(merge.target) AND t.environment = s.environment AND t.user_id = s.user_id
          AND (t.first_at IS NULL OR (s.first_at, s.first_insert_id) < (t.first_at, t.first_insert_id))
        """
    }

    private func links(_ range: ClosedRange<Int>) -> SQL {
        """
        INSERT INTO user_installs (app_no, environment, user_no, install_no)
        SELECT \(merge.target)::integer, s.environment, w.user_no, t.install_no
        FROM user_installs s
        JOIN users u ON u.app_no = s.app_no AND u.environment = s.environment AND u.user_no = s.user_no
        JOIN installs i ON i.app_no = s.app_no AND i.environment = s.environment AND i.install_no = s.install_no
        JOIN users w ON w.app_no = \(merge.target) AND w.environment = s.environment AND w.user_id = u.user_id
        JOIN installs t
          ON t.app_no = \(merge.target) AND t.environment = s.environment AND t.install_id = i.install_id
        WHERE \(sourceInstalls) AND s.user_no BETWEEN \(range.lowerBound) AND \(range.upperBound)
          AND \(isOld("u.first_at")) AND \(isOld("i.first_at"))
        ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING
        """
    }
}
