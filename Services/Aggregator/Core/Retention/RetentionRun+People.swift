import Postgres
import Schema

extension RetentionRun {
    /// Prunes people range by range; a range in which nobody has expired costs one look and keeps nobody waiting.
    func prune(
        _ horizon: RetentionHorizon,
        _ report: inout RetentionReport,
        _ shouldStop: @Sendable () -> Bool
    ) async throws {
        for world in try await worlds() {
            let expired = ExpiredPeople(
                app: world.app,
                environment: world.environment,
                keptFrom: horizon.peopleFrom
            )
            for numbers in Self.ranges(to: world.installLast) where !shouldStop() {
                let gone = try await prune(
                    expired.countInstalls(in: numbers),
                    expired.deleteInstalls(in: numbers)
                )
                report.installs.rows += gone.people
                report.userInstalls.rows += gone.links
            }
            for numbers in Self.ranges(to: world.userLast) where !shouldStop() {
                let gone = try await prune(expired.countUsers(in: numbers), expired.deleteUsers(in: numbers))
                report.users.rows += gone.people
                report.userInstalls.rows += gone.links
            }
        }
    }

    /// Under the store's barrier, since stores remember numbers; whoever comes back meanwhile gets a new one.
    private func prune(_ count: SQL, _ delete: SQL) async throws -> (people: Int, links: Int) {
        let found = try await connection.first(count) { try $0.int(0) } ?? 0
        guard found > 0 else { return (0, 0) }
        return try await connection.transaction { connection in
            try StoreBarrier.close(connection)
            return try connection.first(delete) { (people: try $0.int(0), links: try $0.int(1)) } ?? (0, 0)
        }
    }

    private struct NumberedWorld: Sendable {
        let app: Int32
        let environment: Int16
        let installLast: Int32
        let userLast: Int32
    }

    private func worlds() async throws -> [NumberedWorld] {
        try await connection.rows(RetentionStatements.worlds) {
            NumberedWorld(
                app: try $0.int32(0),
                environment: Int16(truncatingIfNeeded: try $0.int(1)),
                installLast: try $0.int32(2),
                userLast: try $0.int32(3)
            )
        }
    }

    private static func ranges(to last: Int32) -> [ClosedRange<Int32>] {
        stride(from: Int32(1), through: last, by: RetentionStatements.numbersMax).map { lower in
            lower...(lower.addingReportingOverflow(Int32(RetentionStatements.numbersMax - 1)).overflow
                ? Int32.max : min(last, lower + Int32(RetentionStatements.numbersMax - 1)))
        }
    }

    /// What a run would do now, without doing any of it.
    ///
    /// Days that wait to be closed are counted with those that are.
    public func plan() async throws -> RetentionReport {
        let stored = try await connection.perform { try RetentionHorizon.stored($0) }
        let wanted = RetentionHorizon(nowMs: nowMs)
        let horizon = stored.firstDay > wanted.firstDay ? stored : wanted
        var report = RetentionReport(horizon)
        for month in try await EventMonth.all(connection) where month.next <= horizon.firstDay {
            report.events.partitions.append(month.name)
            report.events.rows += try await connection.first(month.count) { try $0.int(0) } ?? 0
            report.events.bytes += month.bytes
        }
        let closed =
            try await connection.first(
                """
                SELECT count(*) FROM closed_days
                WHERE first_at < \(PostgresTimestamp(ms: horizon.keptFromMs))::timestamptz LIMIT 1
                """
            ) { try $0.int(0) } ?? 0
        report.closedDays.rows = closed
        report.closedDays.days = closed
        for world in try await worlds() {
            let expired = ExpiredPeople(
                app: world.app,
                environment: world.environment,
                keptFrom: horizon.peopleFrom
            )
            for numbers in Self.ranges(to: world.installLast) {
                report.installs.rows +=
                    try await connection.first(expired.countInstalls(in: numbers)) { try $0.int(0) } ?? 0
            }
            for numbers in Self.ranges(to: world.userLast) {
                report.users.rows +=
                    try await connection.first(expired.countUsers(in: numbers)) { try $0.int(0) } ?? 0
            }
        }
        for stale in try await staleOffsets() { report.consumerOffsets.rows += stale.partitions.count }
        return report
    }
}
