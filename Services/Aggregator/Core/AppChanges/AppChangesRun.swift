import Contracts
public import Postgres
import Schema

/// What a run over all begun changes of apps came to.
public struct AppChangesSummary: Sendable, Equatable {
    public var done = 0
    public var failed = 0
    public var eventsMoved = 0
    /// Another instance is at it, or an expiry runs.
    public var isBusy = false

    public init() {}
}

/// Carries out merges and deletions that were begun, one after the other, each in small transactions that may end anywhere.
///
/// What failed is noted at the change and tried again by the next run; it does not hold up the others.
public struct AppChangesRun: Sendable {
    let connection: PostgresConnection
    /// Stores what a merge moves: the way of every event, on a connection of its own.
    private let makeStore: @Sendable () async throws -> EventStore
    private let chunk: Int

    /// - Parameters:
    ///   - chunk: events moved, or rows deleted, in one transaction.
    ///   - makeStore: called when there is something to move.
    public init(
        connection: PostgresConnection,
        chunk: Int = 5_000,
        makeStore: @escaping @Sendable () async throws -> EventStore
    ) {
        self.connection = connection
        self.chunk = chunk
        self.makeStore = makeStore
    }

    /// - Throws: `PostgresError` when the list of changes cannot be read.
    public func run(shouldStop: @escaping @Sendable () -> Bool = { false }) async throws -> AppChangesSummary
    {
        let changes = try await begun()
        guard !changes.isEmpty else { return AppChangesSummary() }
        let summary = try await HousekeepingLock.run(connection) {
            var summary = AppChangesSummary()
            // Read again: another instance may have finished them meanwhile.
            for change in try await begun() where !shouldStop() {
                try await carryOut(change, &summary, shouldStop)
            }
            return summary
        }
        guard let summary else {
            var busy = AppChangesSummary()
            busy.isBusy = true
            return busy
        }
        return summary
    }

    private enum Change: Sendable {
        case merge(AppMerge)
        case deletion(AppDeletion)
    }

    private func begun() async throws -> [Change] {
        let merges = try await connection.rows(AppMerge.running) { Change.merge(try AppMerge($0)) }
        let deletions = try await connection.rows(
            "SELECT deleted_app_no FROM app_deletions WHERE status = 'running' ORDER BY deletion_id LIMIT 1000"
        ) { Change.deletion(AppDeletion(app: try $0.int32(0))) }
        return merges + deletions
    }

    private func carryOut(
        _ change: Change,
        _ summary: inout AppChangesSummary,
        _ shouldStop: @Sendable () -> Bool
    ) async throws {
        do {
            let isDone: Bool
            switch change {
            case .merge(let merge):
                let mover = MergeMover(
                    merge: merge,
                    connection: connection,
                    store: try await makeStore(),
                    chunk: chunk
                )
                let isMoved = try await mover.run(moved: { summary.eventsMoved += $0 }, shouldStop)
                isDone = isMoved && !shouldStop()
                if isDone { try await AppRows(app: merge.source).finish(connection) }
            case .deletion(let deletion):
                isDone = try await deletion.run(connection, chunk: chunk, shouldStop)
            }
            if isDone { summary.done += 1 }
        } catch {
            summary.failed += 1
            // The connection may be what failed; then the reason is in the log only.
            try? await connection.perform { _ = try $0.execute(Self.note(error, of: change)) }
            guard await connection.isOpen else { throw error }
        }
    }

    /// The reason without any value: a database's message may quote what a row holds.
    private static func note(_ error: any Error, of change: Change) -> SQL {
        let reason =
            (error as? PostgresError).map { "database error \($0.sqlState)" }
            ?? "\(type(of: error))"
        return switch change {
        case .merge(let merge):
            "UPDATE app_merges SET error = \(reason) WHERE source_app_no = \(merge.source) AND status = 'running'"
        case .deletion(let deletion):
            "UPDATE app_deletions SET error = \(reason) WHERE deleted_app_no = \(deletion.app) AND status = 'running'"
        }
    }
}
