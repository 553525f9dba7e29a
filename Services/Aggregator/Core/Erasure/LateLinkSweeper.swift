import Calendar
import Contracts
import Postgres
import Schema

/// Takes out what is stored of installs that a late event showed to be an erased person's.
struct LateLinkSweeper: Sendable {
    private struct Link: Sendable {
        let hash: [UInt8]
        let environment: Int16
        let install: UUID128
        let rule: SuppressionRule
    }

    let app: Int32
    let connection: PostgresConnection
    let limits: ErasureLimits
    let before: @Sendable (ErasureStep) throws -> Void

    /// - Parameter request: nil for the links of all requests that are done.
    /// - Returns: how many events went.
    func sweep(request: UUID128? = nil) async throws -> Int {
        var erased = 0
        while let links = try await waiting(request) {
            try before(.drain)
            // A batch that began before the link may hold anonymous events of the install.
            try await connection.transaction { try StoreBarrier.close($0) }
            for link in links { erased += try await sweep(link) }
        }
        return erased
    }

    private func waiting(_ request: UUID128?) async throws -> [Link]? {
        let links = try await connection.rows(
            """
            SELECT subject_hash, sweep_environment, sweep_install_id, request_id, requested_at,
                   CASE WHEN isfinite(finished_at) THEN finished_at END
            FROM suppressions
            WHERE app_no = \(app) AND NOT swept
              AND (request_id = \(request)::uuid OR \(request)::uuid IS NULL AND isfinite(finished_at))
            ORDER BY request_id, subject_hash LIMIT \(limits.installsMax)
            """
        ) {
            Link(
                hash: try $0.bytes(0),
                environment: Int16(truncatingIfNeeded: try $0.int(1)),
                install: try $0.uuid128(2),
                rule: SuppressionRule(
                    request: try $0.uuid128(3),
                    requestedAtMs: try $0.timestampMs(4),
                    finishedAtMs: try $0.optionalTimestampMs(5)
                )
            )
        }
        return links.isEmpty ? nil : links
    }

    private func sweep(_ link: Link) async throws -> Int {
        let number = try await connection.first(
            """
            SELECT install_no FROM installs
            WHERE app_no = \(app) AND environment = \(link.environment) AND install_id = \(link.install)::uuid LIMIT 1
            """
        ) { try $0.int32(0) }
        var erased = 0
        if let number {
            let victims = Victims.anonymous(
                of: number,
                rule: link.rule,
                app: app,
                environment: link.environment
            )
            let isRunning = link.rule.finishedAtMs == nil
            let eraser = EventEraser(
                request: isRunning ? link.rule.request : nil,
                eventsMax: limits.eventsMax
            )
            var count = 1
            while count > 0 {
                try before(.sweep)
                count = try await connection.transaction { try eraser.erase(victims, $0) }
                erased += count
            }
        }
        try before(.repair)
        try await connection.transaction { connection in
            if let number {
                try StoreBarrier.close(connection)
                try IdentityRepair.installs([number], app: app, environment: link.environment, connection)
            }
            try connection.execute(
                """
                UPDATE suppressions SET swept = true, sweep_environment = NULL, sweep_install_id = NULL
                WHERE app_no = \(app) AND kind = 'install_anonymous' AND subject_hash = \(link.hash)::bytea
                  AND request_id = \(link.rule.request)::uuid
                """
            )
        }
        return erased
    }
}
