import Postgres
import TestSupport
import Wire

extension DayFigures {
    /// As the closing wrote them: totals from the columns, people from the block.
    static func closed(_ database: ScratchDatabase) async throws -> [DayFigures] {
        try await database.use { connection in
            try await connection.rows(
                """
                SELECT environment, day::text, sessions, sessions_ended, duration_ms_sum, block FROM closed_days
                ORDER BY environment, day LIMIT 10000
                """
            ) { row in
                let rows = try DayBlockCodec.decode(try row.bytes(5)).rows
                return DayFigures(
                    environment: try row.int(0),
                    day: try row.string(1),
                    sessions: try row.int(2),
                    ended: try row.int(3),
                    durationMs: try row.int64(4),
                    installs: Set(rows.map(\.install)).count,
                    pairs: Set(rows.map { [$0.install, $0.user] }).count
                )
            }
        }
    }

    /// Counted from raw events by the rules of sessions and days.
    static func counted(_ database: ScratchDatabase, zone: String) async throws -> [DayFigures] {
        try await database.use { try await DaySQLOracle.days(app: nil, zone: zone, $0) }
    }
}
