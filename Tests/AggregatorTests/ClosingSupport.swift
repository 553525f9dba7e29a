import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import TestSupport
import Wire

/// A closed day as it lies in the table.
struct ClosedDay: Equatable {
    var revision: Int
    var cause: String
    var sessions: Int
    var sessionsEnded: Int
    var durationMsSum: Int64
    var firstMs: Int64
    var endMs: Int64
    var block: DayBlock

    static func of(
        _ key: DayKey,
        _ connection: PostgresConnection
    ) async throws -> ClosedDay? {
        try await all(key.app, connection)[key]
    }

    static func all(_ app: Int32, _ connection: PostgresConnection) async throws -> [DayKey: ClosedDay] {
        let rows = try await connection.rows(
            """
            SELECT environment, day, revision, cause, sessions, sessions_ended, duration_ms_sum, first_at, end_at, block
            FROM closed_days WHERE app_no = \(app) ORDER BY environment, day LIMIT 10000
            """
        ) {
            (
                DayKey(app: app, environment: Int16(try $0.int(0)), zoneVersion: 1, day: try $0.localDay(1)),
                ClosedDay(
                    revision: try $0.int(2),
                    cause: try $0.string(3),
                    sessions: try $0.int(4),
                    sessionsEnded: try $0.int(5),
                    durationMsSum: try $0.int64(6),
                    firstMs: try $0.timestampMs(7),
                    endMs: try $0.timestampMs(8),
                    block: try DayBlockCodec.decode(try $0.bytes(9))
                )
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension StoreBench {
    /// Closes everything that waits, on a connection of its own.
    @discardableResult
    func closeAll() async throws -> ClosingSummary {
        try await withConnection(to: url) { connection in
            try await ClosingRun(closer: DayCloser(connection: connection)).run(pauseMs: 1)
        }
    }

    func key(_ day: String, _ environment: AppEnvironment = .production) -> DayKey {
        guard let day = LocalDay(day) else { preconditionFailure("\(day) is no date") }
        return DayKey(app: app.number, environment: environment.code, zoneVersion: 1, day: day)
    }

    func closed(_ day: String) async throws -> ClosedDay? {
        try await ClosedDay.of(key(day), connection)
    }

    func mark(_ day: String, cause: DayCause) async throws {
        let key = key(day)
        try await connection.execute(
            """
            INSERT INTO dirty_days (app_no, environment, day, cause)
            VALUES (\(key.app), \(key.environment), \(key.day)::date, \(cause.rawValue))
            """
        )
    }

    func marks() async throws -> [String] {
        try await connection.texts(
            "SELECT day || ' ' || cause FROM dirty_days ORDER BY day, mark_no LIMIT 1000"
        )
    }

    /// One session of ten minutes.
    func addSession(at ms: Int64, durationMs: Int64 = 600_000, user: String? = nil) async throws {
        let session = UUID128.random()
        try await store.add(
            .valid(
                app: app.id,
                [
                    .start(at: ms, session: session, user: user),
                    .end(at: ms + durationMs, session: session, durationMs: durationMs, user: user),
                ]
            )
        )
    }
}
