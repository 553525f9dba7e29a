import Postgres

/// Removes everything of one app whose deletion was begun.
struct AppDeletion: Sendable {
    let app: Int32

    /// Returns whether it is done; false when it was told to stop.
    func run(
        _ connection: PostgresConnection,
        chunk: Int,
        _ shouldStop: @Sendable () -> Bool
    ) async throws -> Bool {
        let rows = AppRows(app: app)
        let app = app
        while !shouldStop() {
            let deleted = try await connection.transaction { connection in
                let deleted = try rows.delete(atMost: chunk, connection)
                _ = try connection.execute(
                    """
                    UPDATE app_deletions SET rows_deleted = rows_deleted + \(deleted), error = NULL
                    WHERE deleted_app_no = \(app)
                    """
                )
                return deleted
            }
            guard deleted == 0 else { continue }
            try await rows.finish(connection)
            return true
        }
        return false
    }
}

/// The rows of an app that is to go; the database refuses for any other.
struct AppRows: Sendable {
    let app: Int32

    func delete(atMost rows: Int, _ connection: isolated PostgresConnection) throws -> Int {
        try connection.first("SELECT delete_app_rows(\(app), \(rows)) LIMIT 1") { try $0.int(0) } ?? 0
    }

    /// Deletes the app itself.
    func finish(_ connection: PostgresConnection) async throws {
        _ = try await connection.rows("SELECT finish_app_change(\(app)) LIMIT 1") { _ in }
    }
}
