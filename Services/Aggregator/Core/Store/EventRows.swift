import Contracts
import Postgres

/// The rows of `events` of a batch.
struct EventRows {
    let admitted: AdmittedEvents
    let people: BatchPeople
    /// Numbers by the position in `admitted.contexts`.
    let contexts: [Int32]

    /// Loads them straight into the months, in the order of their insert ids.
    ///
    /// That index is the one whose pages are met at random, and the look for repeats has just read them in this order.
    ///
    /// - Throws: a retryable error when another store committed one of the insert ids since they were looked for.
    func copy(_ sorted: [Int], to connection: isolated PostgresConnection) throws {
        var rows = [Int](repeating: 0, count: admitted.events.count)
        for row in people.events.indices { rows[people.events[row].position] = row }
        do {
            try connection.copyIn(
                """
                COPY events (app_no, environment, kind, event_time, received_at, client_time, insert_id,
                             session_id, install_no, user_no, duration_ms, context_no)
                FROM STDIN (FORMAT binary)
                """
            ) { writer in
                for position in sorted { write(people.events[rows[position]], to: &writer) }
            }
        } catch let error as PostgresError where error.sqlState == Self.uniqueViolation {
            throw PostgresError.lostInsertID
        }
    }

    private static let uniqueViolation = "23505"

    private func write(_ row: BatchPeople.Event, to writer: inout BinaryCopyWriter) {
        let admitted = admitted.events[row.position]
        let event = admitted.event
        writer.startRow(columns: 12)
        writer.int32(admitted.app)
        writer.int16(admitted.environment)
        writer.int16(event.name.code)
        writer.timestamp(msSinceEpoch: event.eventTimeMs)
        writer.timestamp(msSinceEpoch: admitted.receivedAtMs)
        writer.timestamp(msSinceEpoch: event.clientTimeMs)
        writer.uuid(high: event.insertID.high, low: event.insertID.low)
        writer.uuid(high: event.sessionID.high, low: event.sessionID.low)
        writer.int32(people.installs[row.install].number)
        if let user = row.user { writer.int32(people.users[user].number) } else { writer.null() }
        if let durationMs = event.durationMs {
            writer.int32(Int32(truncatingIfNeeded: durationMs))
        } else {
            writer.null()
        }
        writer.int32(contexts[admitted.context])
    }
}

extension PostgresError {
    /// Another store committed one of the insert ids after this one had looked for them.
    ///
    /// Numbers and first facts were made for an event that is not stored, so the batch must run again: then it is found to be a repeat.
    fileprivate static let lostInsertID = PostgresError(
        sqlState: "40001",
        message: "an insert id was stored by another session at the same moment"
    )
}
