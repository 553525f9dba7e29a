import Calendar
import Contracts
import Postgres
import Schema

/// Moves everything of a merge's source to its target, chunk by chunk.
///
/// Events travel the way of all events: each chunk is stored in the target like a batch of messages, which gives numbers, first facts, owners and
/// marks by the same statements and keeps the copy of an insert id that is there already. Only when that is committed is the chunk deleted from
/// the source. Whoever is killed in between stores it once more, and nothing comes of it.
struct MergeMover {
    let merge: AppMerge
    let connection: PostgresConnection
    let store: EventStore
    let chunk: Int

    private var statements: MergeStatements { MergeStatements(merge: merge) }

    /// Returns whether nothing is left of the source but its row; false when it was told to stop.
    func run(moved: (Int) -> Void, _ shouldStop: @Sendable () -> Bool) async throws -> Bool {
        try await repeating(shouldStop) { try $0.execute(statements.copyContexts(atMost: chunk)) }
        for environment in AppEnvironment.allCases {
            var fromMs: Int64 = 0
            while !shouldStop() {
                let events = try await read(environment, fromMs: fromMs)
                guard let last = events.last else { break }
                try await move(events, of: environment)
                moved(events.count)
                // Others of the same millisecond may follow.
                fromMs = last.eventTimeMs
            }
            if shouldStop() { return false }
            try await MergeIdentities(merge: merge, environment: environment)
                .run(connection, shouldStop)
        }
        let (source, rows) = (merge.source, chunk)
        try await repeating(shouldStop) {
            try $0.first("SELECT repoint_app_rows(\(source), \(rows)) LIMIT 1") { try $0.int(0) } ?? 0
        }
        let zone = try LocalZone(named: merge.targetZone)
        try await repeating(shouldStop) { connection in
            let firstDay = try RetentionHorizon.stored(connection).firstDay(in: zone)
            return try connection.first(
                "SELECT merge_day_totals(\(source), \(firstDay)::date, 100) LIMIT 1"
            ) { try $0.int(0) } ?? 0
        }
        guard !shouldStop() else { return false }
        try await repeating(shouldStop) { try AppRows(app: source).delete(atMost: rows, $0) }
        return !shouldStop()
    }

    /// Runs a step, each time in a transaction of its own, until it finds nothing more to do.
    private func repeating(
        _ shouldStop: @Sendable () -> Bool,
        _ step: @Sendable (isolated PostgresConnection) throws -> Int
    ) async throws {
        while !shouldStop() {
            if try await connection.transaction({ try step($0) }) == 0 { return }
        }
    }

    private func read(_ environment: AppEnvironment, fromMs: Int64) async throws -> [MovedEvent] {
        try await connection.rows(statements.events(of: environment, fromMs: fromMs, atMost: chunk)) {
            try MovedEvent($0, environment: environment)
        }
    }

    private func move(_ events: [MovedEvent], of environment: AppEnvironment) async throws {
        let messages = MovedEvent.messages(events, to: merge.targetID).enumerated().map { number, message in
            DecodedMessage(partition: 0, offset: Int64(number), content: .events(message))
        }
        let outcome = try await storeRetrying(messages)
        let (statements, target) = (statements, merge.target)
        let times = events.map(\.eventTimeMs)
        let span = (times.min() ?? 0)...(times.max() ?? 0)
        try await connection.transaction { connection in
            _ = try connection.execute(
                statements.deleteEvents(events.map(\.insertID), of: environment, in: span)
            )
            _ = try connection.execute(
                statements.noteProgress(moved: events.count, dropped: events.count - outcome.new)
            )
            guard outcome.new > 0 else { return }
            // Their own marks are there already; this one says in the days' history why they changed.
            try ZoneMarks.add(
                app: target,
                environment: environment.code,
                timesMs: times,
                cause: .merge,
                connection
            )
        }
    }

    /// Live traffic may meet the same rows at the same moment; then the batch runs again.
    private func storeRetrying(_ messages: [DecodedMessage]) async throws -> StoreOutcome {
        for _ in 0..<20 {
            do {
                return try await store.store(messages, progress: [])
            } catch let error as PostgresError where error.isRetryable {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return try await store.store(messages, progress: [])
    }
}
