import Calendar
import Contracts
import Postgres
import Schema
import Wire

/// The steps of one closing inside its transaction.
struct Closing {
    let key: DayKey
    let zone: LocalZone
    let bounds: Range<Int64>
    let causes: [DayCause]

    func run(_ connection: isolated PostgresConnection) throws -> CloseOutcome {
        let zone = zone
        let built = DayBuilder.build(
            day: key.day,
            bounds: bounds,
            events: try readEvents(connection),
            dayOf: { zone.day(ofMs: $0) }
        )
        let stored = try connection.first(DayStatements.closed(key)) { try StoredDay($0) }
        let outcome = try write(built, over: stored, connection)
        // A neighbour's mark that led to nothing new ends here: what this day shows its neighbours has not changed either.
        if outcome != .unchanged || causes.contains(where: { $0 != .neighbour }) {
            try markNeighbours(built, connection)
        }
        return outcome
    }

    private func readEvents(_ connection: isolated PostgresConnection) throws -> [StoredEvent] {
        guard !bounds.isEmpty else { return [] }
        var events: [StoredEvent] = []
        _ = try connection.execute(DayStatements.planning)
        try connection.forEachRow(DayStatements.events(of: key, bounds: bounds)) { row in
            events.append(
                StoredEvent(
                    isStart: try row.int(0) == Int(EventName.sessionStart.code),
                    timeMs: try row.timestampMs(1),
                    insertID: try row.uuid128(2),
                    sessionID: try row.uuid128(3),
                    install: try row.int32(4),
                    user: try row.int32(5),
                    durationMs: try row.int32(6),
                    context: try row.int32(7)
                )
            )
        }
        _ = try connection.execute(DayStatements.usualPlanning)
        return events
    }

    private func write(
        _ built: BuiltDay,
        over stored: StoredDay?,
        _ connection: isolated PostgresConnection
    ) throws -> CloseOutcome {
        let block = DayBlockCodec.encode(built.block)
        if let stored {
            if stored.block == block, stored.seen == built.seen, stored.bounds == bounds,
                stored.timezone == zone.name
            {
                return .unchanged
            }
        } else if built.block.count == 0, built.seen.isEmpty {
            // Never seen and nothing in it: an absent row says the same as an empty one.
            return .unchanged
        }
        let revision = (stored?.revision ?? 0) + 1
        let neighbours = built.seen.sorted { $0.key < $1.key }
        _ = try connection.execute(
            """
            INSERT INTO closed_days (
                app_no, environment, zone_version, day, revision, cause, closed_at, first_at, end_at, timezone, tzdata_version,
                sessions, sessions_ended, duration_ms_sum, block, neighbour_days, neighbour_digests)
            VALUES (
                \(key.app), \(key.environment), \(key.zoneVersion), \(key.day)::date, \(revision), \(DayCause.leading(of: causes).rawValue),
                clock_timestamp(), \(PostgresTimestamp(ms: bounds.lowerBound))::timestamptz,
                \(PostgresTimestamp(ms: bounds.upperBound))::timestamptz, \(zone.name), \(LocalZone.tzdataVersion),
                \(built.sessions), \(built.sessionsEnded), \(built.durationMsSum), \(block)::bytea,
                \(neighbours.map { $0.key.description })::date[], \(neighbours.map(\.value))::bigint[])
            ON CONFLICT (app_no, environment, zone_version, day) DO UPDATE SET
                revision = excluded.revision, cause = excluded.cause, closed_at = excluded.closed_at,
                first_at = excluded.first_at, end_at = excluded.end_at, timezone = excluded.timezone,
                tzdata_version = excluded.tzdata_version, sessions = excluded.sessions,
                sessions_ended = excluded.sessions_ended, duration_ms_sum = excluded.duration_ms_sum,
                block = excluded.block, neighbour_days = excluded.neighbour_days,
                neighbour_digests = excluded.neighbour_digests
            """
        )
        return .closed(revision: revision)
    }

    /// Marks the days that saw something else of this one than there now is; see `NeighbourLinks`.
    private func markNeighbours(_ built: BuiltDay, _ connection: isolated PostgresConnection) throws {
        let saw = try connection.rows(DayStatements.seenByNeighbours(of: key)) {
            (day: try $0.localDay(0), digest: try $0.int64(1))
        }
        var seen: [LocalDay: Int64] = [:]
        for row in saw { seen[row.day] = row.digest }
        for day in Set(seen.keys).union(built.shown.keys).sorted()
        where seen[day, default: 0] != built.shown[day, default: 0] {
            let neighbour = DayKey(
                app: key.app,
                environment: key.environment,
                zoneVersion: key.zoneVersion,
                day: day
            )
            _ = try connection.execute(DayStatements.mark(neighbour, cause: .neighbour))
        }
    }
}

/// The row that is there, as far as a closing compares it.
struct StoredDay: Sendable {
    let revision: Int
    let block: [UInt8]
    let seen: [LocalDay: Int64]
    let bounds: Range<Int64>
    let timezone: String

    init(_ row: borrowing Row) throws {
        revision = try row.int(0)
        block = try row.bytes(1)
        let days = try row.string(2).split(separator: ",").compactMap { LocalDay(String($0)) }
        let digests = try row.string(3).split(separator: ",").compactMap { Int64($0) }
        seen = Dictionary(zip(days, digests)) { first, _ in first }
        let (first, end) = (try row.timestampMs(4), try row.timestampMs(5))
        bounds = first..<max(first, end)
        timezone = try row.string(6)
    }
}
