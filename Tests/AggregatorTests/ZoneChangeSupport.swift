import AggregatorCore
import Postgres
import Schema
import TestSupport
import Testing

extension StoreBench {
    @discardableResult
    func request(_ zone: String) async throws -> ZoneChanges.Outcome {
        let app = app.number
        return try await connection.transaction { try ZoneChanges.request(app: app, timezone: zone, $0) }
    }

    /// Asks for a zone and carries it out.
    func change(to zone: String) async throws {
        try await request(zone)
        try await closeAll()
        try await finishChange()
    }

    func finishChange(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let finished = try await ZoneChanges.finishAll(connection)
        #expect(finished == [app.number], sourceLocation: sourceLocation)
        try await closeAll()
    }

    func zone() async throws -> String {
        try await connection.first("SELECT timezone FROM apps WHERE app_no = \(app.number) LIMIT 1") {
            try $0.string(0)
        } ?? ""
    }

    /// The closed days that reports read, with their sessions; without those nothing happened on.
    func presentDays() async throws -> [String] {
        try await connection.texts(
            """
            SELECT concat_ws(' ', d.day, d.sessions) FROM closed_days d
            JOIN apps a ON a.app_no = d.app_no AND a.zone_version = d.zone_version
            WHERE d.app_no = \(app.number) AND d.sessions > 0 ORDER BY d.day LIMIT 1000
            """
        )
    }
}
