import Calendar
import Contracts
import Postgres
import Schema
import Wire

/// Writes days and people into the tables that a reader reads, as the aggregator would have left them.
struct BenchTables {
    let app: UUID128
    private let number: Int32
    private let connection: PostgresConnection

    init(_ options: BenchOptions) async throws {
        app = UUID128(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
        connection = try await PostgresConnection(
            url: options.databaseURL,
            applicationName: "bench-days"
        )
        let number = try await connection.first(
            """
            INSERT INTO apps (app_id, name, timezone, platforms)
            VALUES (\(app)::uuid, 'Bench', 'UTC', '{ios,android,web}') RETURNING app_no
            """
        ) { try $0.int32(0) }
        guard let number else { throw BenchProblem("no app was made") }
        self.number = number
    }

    /// Contexts of one app have numbers of their own.
    private func contextNumber(_ index: Int) -> Int32 { number * 1_000_000 + Int32(index) + 1 }

    func insert(_ sessions: [BenchSession], day: LocalDay) async throws {
        let firstMs = Int64(day.number) * 86_400_000
        let block = DayBlock(
            rows: sessions.map {
                DayBlock.Row(
                    context: contextNumber($0.context),
                    install: $0.install,
                    user: $0.user,
                    fromMs: Int32($0.startMs - firstMs),
                    spanMs: max(0, min($0.durationMs, Int32(firstMs + 86_399_999 - $0.startMs))),
                    durationMs: $0.durationMs,
                    isSession: true
                )
            }
        )
        let ended = sessions.count { $0.durationMs >= 0 }
        let sum = sessions.reduce(Int64(0)) { $0 + Int64(max(0, $1.durationMs)) }
        let bytes = DayBlockCodec.encode(block)
        try await connection.execute(
            """
            INSERT INTO closed_days (app_no, environment, day, revision, cause, closed_at, first_at, end_at, timezone,
                tzdata_version, sessions, sessions_ended, duration_ms_sum, block, neighbour_days, neighbour_digests)
            VALUES (\(number), \(AppEnvironment.production.code), \(day)::date, 1, 'events', now(),
                \(PostgresTimestamp(ms: firstMs))::timestamptz,
                \(PostgresTimestamp(ms: firstMs + 86_400_000))::timestamptz, 'UTC', 'bench',
                \(sessions.count), \(ended), \(sum), \(bytes)::bytea, '{}', '{}')
            """
        )
    }

    func insert(_ world: BenchWorld) async throws {
        let environment = AppEnvironment.production.code
        try await connection.copyIn(
            """
            COPY contexts (context_no, app_no, fingerprint, platform, os_name, os_version, app_version,
                device_model, device_type, country) FROM STDIN (FORMAT binary)
            """
        ) { writer in
            for (index, context) in world.contexts.enumerated() {
                writer.startRow(columns: 10)
                writer.int32(contextNumber(index))
                writer.int32(number)
                writer.uuid(high: 1, low: UInt64(index))
                for value in context.values { writer.text(value) }
            }
        }
        try await connection.copyIn(
            """
            COPY installs (app_no, environment, install_id, install_no, first_at, first_insert_id, first_context_no,
                anonymous_first_at, anonymous_first_insert_id, anonymous_first_context_no, owner_no)
            FROM STDIN (FORMAT binary)
            """
        ) { writer in
            world.forEachInstall { install, person in
                guard world.installFirst[install].ms != .max else { return }
                writer.startRow(columns: 11)
                writer.int32(number)
                writer.int16(environment)
                writer.uuid(high: 2, low: UInt64(install) &* 0x9E37_79B9_7F4A_7C15)
                writer.int32(Int32(install))
                write(world.installFirst[install], id: install, to: &writer)
                write(world.anonymousFirst[install], id: install, to: &writer)
                let owner = world.owner(person: person)
                if owner > 0 { writer.int32(owner) } else { writer.null() }
            }
        }
        try await connection.copyIn(
            """
            COPY users (app_no, environment, user_id, user_no, first_at, first_insert_id, first_context_no)
            FROM STDIN (FORMAT binary)
            """
        ) { writer in
            for user in 1...max(1, world.userCount) where world.userFirst[user].ms != .max {
                writer.startRow(columns: 7)
                writer.int32(number)
                writer.int16(environment)
                writer.text("user \(user)")
                writer.int32(Int32(user))
                write(world.userFirst[user], id: user, to: &writer)
            }
        }
        try await connection.script("VACUUM ANALYZE installs, users, contexts, closed_days")
    }

    private func write(_ first: BenchFirst, id: Int, to writer: inout BinaryCopyWriter) {
        guard first.ms != .max else {
            for _ in 0..<3 { writer.null() }
            return
        }
        writer.timestamp(msSinceEpoch: first.ms)
        writer.uuid(high: UInt64(first.ms), low: UInt64(id))
        writer.int32(contextNumber(first.context))
    }

    /// One line a context: its index and its values.
    func contextLines(_ world: BenchWorld) -> String {
        world.contexts.enumerated().map { index, context in
            (["\(index)"] + context.values).joined(separator: "\t") + "\n"
        }.joined()
    }
}
