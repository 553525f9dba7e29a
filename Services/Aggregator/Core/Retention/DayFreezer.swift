import Calendar
import Contracts
import Postgres
import Schema
import Wire

/// What became of a closed day that has expired.
enum FreezeOutcome: Sendable, Equatable {
    case frozen
    /// Another instance closes it just now, or it changed and has to be closed first.
    case waiting
    case gone
}

/// Replaces the block of an expired day by counts that are kept for ever.
///
/// Counts are written, block and marks deleted in one transaction, and never for a day that waits to be closed again. A day that has its counts
/// already keeps those: they were made from all of its events. Counts of the date as another zone cut it, left by a change of zone, give way.
struct DayFreezer {
    let connection: PostgresConnection

    func freeze(_ key: DayKey) async throws -> FreezeOutcome {
        // Taken before the transaction, because that sees the tables as they are at its first statement.
        let isOurs = try await connection.first("SELECT pg_try_advisory_lock(\(key.lockNumber)) LIMIT 1") {
            try $0.bool(0)
        }
        guard isOurs == true else { return .waiting }
        let result: Result<FreezeOutcome, any Error>
        do {
            result = .success(try await connection.transaction { try Self.freezeLocked(key, $0) })
        } catch {
            result = .failure(error)
        }
        _ = try? await connection.first("SELECT pg_advisory_unlock(\(key.lockNumber)) LIMIT 1") {
            try $0.bool(0)
        }
        return try result.get()
    }

    private static func freezeLocked(
        _ key: DayKey,
        _ connection: isolated PostgresConnection
    ) throws -> FreezeOutcome {
        _ = try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        guard try connection.rows(DayStatements.marks(of: key), decode: { _ in }).isEmpty else {
            return .waiting
        }
        guard let stored = try connection.first(DayStatements.closed(key), decode: { try StoredDay($0) })
        else { return .gone }
        if try !FrozenDays.contains(key, cutBy: stored.timezone, connection) {
            let block = try DayBlockCodec.decode(stored.block)
            let query = FrozenPeopleQuery(key: key)
            let people = try query.load(block, connection)
            let totals = DayTotalsBuilder.totals(
                of: block,
                bounds: stored.bounds,
                people: people,
                contexts: try query.contexts(block, people, connection)
            )
            _ = try connection.execute(FrozenDays.delete(key))
            _ = try connection.execute(FrozenDays.insert(totals, of: key, stored))
        }
        _ = try connection.execute(FrozenDays.deleteBlock(of: key))
        return .frozen
    }
}

/// The statements about days that are frozen.
enum FrozenDays {
    /// Whether there are counts of the date.
    ///
    /// - Parameter zone: nil for counts of whatever zone.
    static func contains(
        _ key: DayKey,
        cutBy zone: String? = nil,
        _ connection: isolated PostgresConnection
    ) throws -> Bool {
        try connection.first(
            """
            SELECT EXISTS (
                SELECT FROM day_totals
                WHERE app_no = \(key.app) AND environment = \(key.environment) AND day = \(key.day)::date
                  AND (\(zone)::text IS NULL OR timezone = \(zone)::text)) LIMIT 1
            """
        ) { try $0.bool(0) } ?? false
    }

    static func delete(_ key: DayKey) -> SQL {
        """
        DELETE FROM day_totals
        WHERE app_no = \(key.app) AND environment = \(key.environment) AND day = \(key.day)::date
        """
    }

    /// The block of this zone; one that a change of zone has built of the same date is another day.
    static func deleteBlock(of key: DayKey) -> SQL {
        "DELETE FROM closed_days WHERE \(key.zoneScope) AND day = \(key.day)::date"
    }

    static func insert(_ totals: [DayTotals], of key: DayKey, _ stored: StoredDay) -> SQL {
        """
        INSERT INTO day_totals (
            app_no, environment, day, dimension, value, active_persons, active_installs, new_persons, new_installs,
            sessions, sessions_ended, duration_ms_sum, timezone, first_at, end_at)
        SELECT \(key.app), \(key.environment), \(key.day)::date, t.*, \(stored.timezone),
               \(PostgresTimestamp(ms: stored.bounds.lowerBound))::timestamptz,
               \(PostgresTimestamp(ms: stored.bounds.upperBound))::timestamptz
        FROM unnest(
            \(totals.map(\.dimension.rawValue))::text[], \(totals.map(\.value))::text[],
            \(totals.map(\.activePersons))::integer[], \(totals.map(\.activeInstalls))::integer[],
            \(totals.map(\.newPersons))::integer[], \(totals.map(\.newInstalls))::integer[],
            \(totals.map(\.sessions))::integer[], \(totals.map(\.sessionsEnded))::integer[],
            \(totals.map(\.durationMsSum))::bigint[]) AS t
        """
    }
}
