import Contracts
import Postgres
import Schema

/// A table like `events`, with the same indexes and months, and bare binary COPY into it.
enum Yardstick {
    static func make(_ connection: PostgresConnection) async throws {
        try await connection.script(
            """
            DROP TABLE IF EXISTS bench_events;
            CREATE TABLE bench_events (LIKE events INCLUDING CONSTRAINTS INCLUDING INDEXES)
                PARTITION BY RANGE (event_time);
            """
        )
        for (name, from, to) in [("09", "2026-09-01", "2026-10-01"), ("10", "2026-10-01", "2026-11-01")] {
            try await connection.script(
                """
                CREATE TABLE bench_events_\(name) PARTITION OF bench_events
                    FOR VALUES FROM ('\(from) 00:00:00+00') TO ('\(to) 00:00:00+00');
                CREATE UNIQUE INDEX ON bench_events_\(name) (app_no, insert_id);
                """
            )
        }
    }

    /// In the order in which events come.
    static func copy(
        _ backlog: Backlog,
        into table: String,
        as app: Int32 = 1,
        _ connection: PostgresConnection
    ) async throws {
        let statement = """
            COPY \(table) (app_no, environment, kind, event_time, received_at, client_time, insert_id,
                           session_id, install_no, user_no, duration_ms, context_no) FROM STDIN (FORMAT binary)
            """
        try await connection.copyIn(statement) { writer in
            var backlog = backlog
            while let item = backlog.next() {
                for event in item.message.events { write(event, of: item, app: app, to: &writer) }
            }
        }
    }

    private static func write(
        _ event: EventMessage.Event,
        of item: Backlog.Item,
        app: Int32,
        to writer: inout BinaryCopyWriter
    ) {
        writer.startRow(columns: 12)
        writer.int32(app)
        writer.int16(0)
        writer.int16(event.name.code)
        writer.timestamp(msSinceEpoch: event.eventTimeMs)
        writer.timestamp(msSinceEpoch: item.message.receivedAtMs)
        writer.timestamp(msSinceEpoch: event.clientTimeMs)
        writer.uuid(high: event.insertID.high, low: event.insertID.low)
        writer.uuid(high: event.sessionID.high, low: event.sessionID.low)
        writer.int32(item.install)
        if let user = item.user { writer.int32(user) } else { writer.null() }
        if let durationMs = event.durationMs { writer.int32(Int32(durationMs)) } else { writer.null() }
        writer.int32(item.contexts[event.context] + 1)
    }
}
