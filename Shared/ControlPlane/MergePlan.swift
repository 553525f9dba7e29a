public import Contracts
public import Postgres
import Schema

/// What a merge of an app into another one would move.
public struct MergePlan: Sendable, Equatable {
    public var source: AppSummary
    public var target: AppSummary
    public var events = 0
    public var installs = 0
    public var users = 0
    /// Users of the source that the target has too: two people who become one.
    public var sharedUsers = 0
    /// Closed days, and frozen ones, which are older than the events that are kept.
    public var days = 0
    public var frozenDays = 0
    /// In use; they go over.
    public var writeKeys = 0
    /// Bound to the source; they end.
    public var apiKeysRevoked = 0

    /// Counts all of it, which takes as long as reading the source's index of events.
    ///
    /// - Throws: `AppChangeRefusal.sameApp`, `ControlProblem.appNotFound`, `PostgresError`.
    public static func make(
        from source: UUID128,
        into target: UUID128,
        _ connection: isolated PostgresConnection
    ) throws -> MergePlan {
        guard source != target else { throw AppChangeRefusal.sameApp }
        let plan = MergePlan(
            source: try AppCatalogue.find(source, connection),
            target: try AppCatalogue.find(target, connection)
        )
        let (from, into) = (plan.source.number, plan.target.number)
        let counted = try connection.first(
            """
            SELECT (SELECT count(*) FROM events WHERE app_no = \(from)),
                   (SELECT count(*) FROM installs WHERE app_no = \(from)),
                   (SELECT count(*) FROM users WHERE app_no = \(from)),
                   (SELECT count(*) FROM users a JOIN users b USING (environment, user_id)
                    WHERE a.app_no = \(from) AND b.app_no = \(into)),
                   (SELECT count(*) FROM closed_days WHERE app_no = \(from)),
                   (SELECT count(DISTINCT (environment, day)) FROM day_totals WHERE app_no = \(from)),
                   (SELECT count(*) FROM write_keys WHERE app_id = \(source)::uuid AND revoked_at IS NULL),
                   (SELECT count(*) FROM api_keys WHERE app_id = \(source)::uuid AND revoked_at IS NULL)
            LIMIT 1
            """
        ) { row in
            var plan = plan
            plan.events = try row.int(0)
            plan.installs = try row.int(1)
            plan.users = try row.int(2)
            plan.sharedUsers = try row.int(3)
            plan.days = try row.int(4)
            plan.frozenDays = try row.int(5)
            plan.writeKeys = try row.int(6)
            plan.apiKeysRevoked = try row.int(7)
            return plan
        }
        return counted ?? plan
    }
}
