public import Postgres

/// Deletes rejections and set-aside messages that are old enough, some thousands at a time.
public struct ExpirySweep: Sendable {
    /// How many rows of each table one sweep deleted.
    public struct Summary: Sendable, Equatable {
        public var rejections = 0
        public var setAside = 0

        public init(rejections: Int = 0, setAside: Int = 0) {
            (self.rejections, self.setAside) = (rejections, setAside)
        }
    }

    private let connection: PostgresConnection
    private static let rowsMax = 10_000

    public init(connection: PostgresConnection) {
        self.connection = connection
    }

    /// Deletes what is older than these instants, or nothing while another instance sweeps.
    ///
    /// - Parameter shouldStop: asked between two transactions.
    public func run(
        rejectionsBeforeMs: Int64,
        setAsideBeforeMs: Int64,
        shouldStop: () -> Bool = { false }
    ) async throws -> Summary {
        let rejections: SQL = """
            DELETE FROM rejections WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM rejections
                WHERE received_at < \(PostgresTimestamp(ms: rejectionsBeforeMs))::timestamptz LIMIT \(Self.rowsMax)))
            """
        let setAside: SQL = """
            DELETE FROM set_aside_messages WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM set_aside_messages
                WHERE set_aside_at < \(PostgresTimestamp(ms: setAsideBeforeMs))::timestamptz LIMIT \(Self.rowsMax)))
            """
        var summary = Summary()
        summary.rejections = try await deleteAll(rejections, shouldStop)
        summary.setAside = try await deleteAll(setAside, shouldStop)
        return summary
    }

    private func deleteAll(_ statement: SQL, _ shouldStop: () -> Bool) async throws -> Int {
        var total = 0
        while !shouldStop() {
            let deleted = try await connection.transaction { connection -> Int in
                // Two that delete the same rows would wait for each other, in whatever order they found them.
                let isAlone = try connection.first(
                    "SELECT pg_try_advisory_xact_lock(hashtext('foreground expiry sweep')) LIMIT 1"
                ) { try $0.bool(0) }
                return isAlone == true ? try connection.execute(statement) : 0
            }
            total += deleted
            if deleted < Self.rowsMax { break }
        }
        return total
    }
}
