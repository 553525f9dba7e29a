import Calendar
import Contracts
public import Postgres
import Schema

/// Removes what is older than 25 months: raw events by months, people by their last activity; days stay as counts.
///
/// The order is what makes it safe: first stores are told to take no more events of expired days, then those days are closed and frozen, then
/// their months are dropped, and last people are pruned whom no kept day can name. Every step may be repeated, so a run that was killed is
/// simply run again.
public struct RetentionRun: Sendable {
    /// The partitions a topic has: empty for a topic that does not exist, nil when nobody can tell.
    public typealias TopicPartitions = @Sendable (_ topic: String) async -> Set<Int32>?

    let connection: PostgresConnection
    let nowMs: Int64
    let topicPartitions: TopicPartitions
    private static let waitsMax = 250

    public init(
        connection: PostgresConnection,
        nowMs: Int64,
        topicPartitions: @escaping TopicPartitions = { _ in nil }
    ) {
        self.connection = connection
        self.nowMs = nowMs
        self.topicPartitions = topicPartitions
    }

    /// - Throws: `PostgresError`, `UnknownZone`, or an error of a damaged block; what was done stays done.
    public func run(shouldStop: @escaping @Sendable () -> Bool = { false }) async throws -> RetentionReport {
        var report = RetentionReport(RetentionHorizon(nowMs: nowMs))
        report.isPostponed = true
        let done = try await HousekeepingLock.run(connection) { () -> RetentionReport? in
            let merging = try await connection.first(
                "SELECT EXISTS (SELECT FROM app_merges WHERE status = 'running') LIMIT 1"
            ) { try $0.bool(0) }
            return merging == true ? nil : try await runLocked(shouldStop)
        }
        return (done ?? nil) ?? report
    }

    private func runLocked(_ shouldStop: @Sendable () -> Bool) async throws -> RetentionReport {
        let wanted = RetentionHorizon(nowMs: nowMs)
        let horizon = try await connection.perform { connection in
            try wanted.advance(connection)
            return try RetentionHorizon.stored(connection)
        }
        var report = RetentionReport(horizon)
        try await freeze(horizon, &report, shouldStop)
        if shouldStop() || report.isIncomplete { return report }
        try await dropMonths(horizon, &report)
        try await prune(horizon, &report, shouldStop)
        try await deleteOffsets(&report)
        return report
    }

    /// Returns when no expired day has a block or a mark any more, or when some are not to be had.
    private func freeze(
        _ horizon: RetentionHorizon,
        _ report: inout RetentionReport,
        _ shouldStop: @Sendable () -> Bool
    ) async throws {
        let closer = DayCloser(connection: connection)
        let freezer = DayFreezer(connection: connection)
        var waits = 0
        while !shouldStop() {
            let marked = try await expiredMarks(horizon)
            for key in marked {
                do {
                    _ = try await closer.close(key)
                } catch let error as PostgresError where error.isRetryable {
                    continue
                }
            }
            let days = try await expiredDays(horizon)
            if marked.isEmpty, days.isEmpty { return }
            var isMoving = false
            for key in days where !shouldStop() {
                guard try await freezer.freeze(key) == .frozen else { continue }
                report.closedDays.days += 1
                report.closedDays.rows += 1
                isMoving = true
            }
            if isMoving { continue }
            // Somebody else is closing these days just now, or they wait to be cut anew by another zone.
            waits += 1
            guard waits < Self.waitsMax else {
                report.isIncomplete = true
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func expiredMarks(_ horizon: RetentionHorizon) async throws -> [DayKey] {
        let rows = try await connection.rows(RetentionStatements.marked(before: horizon)) {
            (key: try DayKey($0), zone: try $0.string(4))
        }
        return try rows.filter { horizon.isExpired($0.key.day, in: try LocalZone(named: $0.zone)) }.map(\.key)
    }

    private func expiredDays(_ horizon: RetentionHorizon) async throws -> [DayKey] {
        try await connection.rows(RetentionStatements.closedDays(before: horizon)) { try DayKey($0) }
    }

    private func dropMonths(_ horizon: RetentionHorizon, _ report: inout RetentionReport) async throws {
        for month in try await EventMonth.all(connection) where month.next <= horizon.firstDay {
            let rows = try await connection.first(month.count) { try $0.int(0) } ?? 0
            do {
                _ = try await connection.first(
                    "SELECT drop_events_partition(\(month.first)::date) LIMIT 1"
                ) { try $0.bool(0) }
            } catch let error as PostgresError where error.sqlState == "55P03" {
                // Somebody reads for longer than everybody else should wait.
                report.isIncomplete = true
                continue
            }
            report.events.partitions.append(month.name)
            report.events.rows += rows
            report.events.bytes += month.bytes
        }
    }

    private func deleteOffsets(_ report: inout RetentionReport) async throws {
        for (topic, partitions) in try await staleOffsets() {
            report.consumerOffsets.rows += try await connection.execute(
                RetentionStatements.deleteOffsets(topic, partitions, nowMs: nowMs)
            )
        }
    }

    /// Offsets of what is not there any more; those of a topic that is merely quiet stay.
    func staleOffsets() async throws -> [(topic: String, partitions: [Int32])] {
        let rows = try await connection.rows(RetentionStatements.staleOffsets(nowMs: nowMs)) {
            (topic: try $0.string(0), partition: try $0.int32(1))
        }
        var stale: [(topic: String, partitions: [Int32])] = []
        for (topic, own) in Dictionary(grouping: rows, by: \.topic).sorted(by: { $0.key < $1.key }) {
            guard let existing = await topicPartitions(topic) else { continue }
            let gone = own.map(\.partition).filter { !existing.contains($0) }
            if !gone.isEmpty { stale.append((topic, gone)) }
        }
        return stale
    }
}

extension DayKey {
    /// Four columns: app, environment, day, version of the zone.
    init(_ row: borrowing Row) throws {
        self.init(
            app: try row.int32(0),
            environment: Int16(truncatingIfNeeded: try row.int(1)),
            zoneVersion: try row.int32(3),
            day: try row.localDay(2)
        )
    }
}

/// A partition of raw events.
struct EventMonth: Sendable {
    let name: String
    let first: LocalDay
    let bytes: Int64

    var next: LocalDay { first.advanced(by: 31).firstOfMonth }

    var count: SQL {
        let first = LocalZone.utc.bounds(of: first).lowerBound
        let end = LocalZone.utc.bounds(of: next).lowerBound
        return """
            SELECT count(*) FROM events WHERE event_time >= \(PostgresTimestamp(ms: first))::timestamptz
              AND event_time < \(PostgresTimestamp(ms: end))::timestamptz LIMIT 1
            """
    }

    /// Tables of other names are left alone.
    static func all(_ connection: PostgresConnection) async throws -> [EventMonth] {
        let rows = try await connection.rows(RetentionStatements.partitions) {
            (name: try $0.string(0), bytes: try $0.int64(1))
        }
        return rows.compactMap { row in
            let parts = row.name.split(separator: "_")
            guard parts.count == 3, let first = LocalDay("\(parts[1])-\(parts[2])-01") else { return nil }
            return EventMonth(name: row.name, first: first, bytes: row.bytes)
        }
    }
}
