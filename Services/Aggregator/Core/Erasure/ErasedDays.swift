import Calendar
import Contracts
import Postgres
import Schema

/// Closes the days that erasures have touched, and those that share sessions with them.
///
/// The marks are the memory: they were committed with the deletions, so a crash in between loses none. A day that became empty is closed
/// like any other, which puts an empty block over the old one.
struct ErasedDays: Sendable {
    let app: Int32
    let connection: PostgresConnection
    private static let daysMax = 200
    private static let pauseMs = 50

    func close(before: @Sendable () throws -> Void) async throws {
        let closer = DayCloser(connection: connection)
        while true {
            let waiting = try await connection.rows(
                """
                SELECT DISTINCT environment, zone_version, day FROM dirty_days
                WHERE app_no = \(app) AND cause IN ('erasure', 'neighbour') ORDER BY day, environment, zone_version
                LIMIT \(Self.daysMax)
                """
            ) {
                DayKey(
                    app: app,
                    environment: Int16(truncatingIfNeeded: try $0.int(0)),
                    zoneVersion: try $0.int32(1),
                    day: try $0.localDay(2)
                )
            }
            guard !waiting.isEmpty else { return }
            var isAllBusy = true
            for key in waiting {
                try before()
                if try await closer.closeOrYield(key) != .busy { isAllBusy = false }
            }
            if isAllBusy { try await Task.sleep(for: .milliseconds(Self.pauseMs)) }
        }
    }
}
