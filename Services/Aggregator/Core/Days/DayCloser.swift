import Calendar
import Contracts
public import Postgres
import Schema
import Wire

/// What became of one day that waited.
public enum CloseOutcome: Sendable, Equatable {
    /// A new revision was written.
    case closed(revision: Int)
    /// The facts had not changed its block.
    case unchanged
    /// Another instance is at it.
    case busy
    /// Nothing waited any more.
    case gone
}

/// Rebuilds one day from raw events.
///
/// Everything is read and written in one REPEATABLE READ transaction: the marks that are deleted are exactly those whose events the block
/// contains, and two instances that race end in a serialisation failure of one, never in an old block over a new one. A crash leaves the
/// block that was there and the marks.
public actor DayCloser {
    private let connection: PostgresConnection
    private var zones: [String: LocalZone] = [:]

    public init(connection: PostgresConnection) {
        self.connection = connection
    }

    /// The number of the latest mark.
    public func lastMark() async throws -> Int64 {
        try await connection.first(DayStatements.lastMark) { try $0.int64(0) } ?? 0
    }

    /// The days that wait since a mark or before, and neighbours of what was closed; oldest first.
    public func waiting(through lastMark: Int64, limit: Int) async throws -> [DayKey] {
        try await connection.rows(DayStatements.waiting(through: lastMark, limit: limit)) {
            DayKey(
                app: try $0.int32(0),
                environment: Int16(truncatingIfNeeded: try $0.int(1)),
                zoneVersion: try $0.int32(2),
                day: try $0.localDay(3)
            )
        }
    }

    /// As `close`, but a race lost to another instance is no failure: the day is to be looked at again.
    func closeOrYield(_ key: DayKey) async throws -> CloseOutcome {
        do {
            return try await close(key)
        } catch let error as PostgresError where error.isRetryable {
            return .busy
        }
    }

    /// - Throws: `PostgresError` (retryable after a race), `UnknownZone`.
    public func close(_ key: DayKey) async throws -> CloseOutcome {
        let isOurs = try await connection.first("SELECT pg_try_advisory_lock(\(key.lockNumber)) LIMIT 1") {
            try $0.bool(0)
        }
        guard isOurs == true else { return .busy }
        do {
            let outcome = try await closeLocked(key)
            try await unlock(key)
            return outcome
        } catch {
            try? await unlock(key)
            throw error
        }
    }

    private func unlock(_ key: DayKey) async throws {
        _ = try await connection.first("SELECT pg_advisory_unlock(\(key.lockNumber)) LIMIT 1") {
            try $0.bool(0)
        }
    }

    private func closeLocked(_ key: DayKey) async throws -> CloseOutcome {
        let zone = try await zone(of: key)
        return try await connection.transaction { connection in
            _ = try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            _ = try connection.execute(DayStatements.memory)
            _ = try connection.execute(DayStatements.withoutCompiling)
            let marks = try connection.rows(DayStatements.marks(of: key)) {
                (number: try $0.int64(0), cause: DayCause(rawValue: try $0.string(1)) ?? .events)
            }
            guard !marks.isEmpty else { return .gone }
            guard let zone, try !Self.isFinal(key, in: zone, connection) else {
                _ = try connection.execute(DayStatements.deleteMarks(marks.map(\.number)))
                return .gone
            }
            let closing = Closing(
                key: key,
                zone: zone,
                bounds: zone.bounds(of: key.day),
                causes: marks.map(\.cause)
            )
            let outcome = try closing.run(connection)
            _ = try connection.execute(DayStatements.deleteMarks(marks.map(\.number)))
            return outcome
        }
    }

    /// Whether a day is never built again: its events are gone or about to go.
    ///
    /// Counts of a date whose day in this zone is kept are those of another zone. A day that has expired in a zone the app is changing to is not
    /// built at all, for frozen days of the present zone tell of its events.
    private static func isFinal(
        _ key: DayKey,
        in zone: LocalZone,
        _ connection: isolated PostgresConnection
    ) throws -> Bool {
        guard try RetentionHorizon.stored(connection).isExpired(key.day, in: zone) else { return false }
        if try FrozenDays.contains(key, connection) { return true }
        let isPresent = try connection.first(
            "SELECT zone_version = \(key.zoneVersion) FROM apps WHERE app_no = \(key.app) LIMIT 1"
        ) { try $0.bool(0) }
        return isPresent != true
    }

    /// Nil when the app is gone, or the change of zone the day was built for.
    private func zone(of key: DayKey) async throws -> LocalZone? {
        let name = try await connection.first(
            """
            SELECT timezone FROM apps WHERE app_no = \(key.app) AND zone_version = \(key.zoneVersion)
            UNION ALL
            SELECT timezone FROM zone_changes WHERE app_no = \(key.app) AND zone_version = \(key.zoneVersion)
            LIMIT 1
            """
        ) { try $0.string(0) }
        guard let name else { return nil }
        if let zone = zones[name] { return zone }
        let zone = try LocalZone(named: name)
        zones[name] = zone
        return zone
    }
}
