import Contracts
import Postgres
import Schema

/// How installs and users are read from their tables and written there for the first time.
enum PeopleRows {
    /// Each install that has a row, by its place in the list, which counts from 1.
    ///
    /// Asks for the first row at or after the key: only the index that is ordered by the id can answer that. A plain equation would let the
    /// planner take the index on numbers, and read a whole app for each install, as long as the table has no statistics.
    static func look(for keys: [InstallKey]) -> SQL {
        """
        SELECT k.number, i.install_no, i.last_day, i.first_at, i.anonymous_first_at, i.owner_at
        FROM unnest(\(keys.map(\.app))::integer[], \(keys.map(\.environment))::smallint[], \(keys.map(\.id))::uuid[])
            WITH ORDINALITY AS k(app_no, environment, install_id, number)
        CROSS JOIN LATERAL (
            SELECT * FROM installs n
            WHERE (n.app_no, n.environment, n.install_id) >= (k.app_no, k.environment, k.install_id)
            ORDER BY n.app_no, n.environment, n.install_id LIMIT 1
        ) i
        WHERE i.app_no = k.app_no AND i.environment = k.environment AND i.install_id = k.install_id
        """
    }

    static func install(_ row: borrowing Row) throws -> (Int, KnownInstall) {
        (
            try row.int(0),
            KnownInstall(
                number: try row.int32(1),
                lastDay: try row.optionalDate(2) ?? .min,
                firstMs: try row.optionalTimestampMs(3) ?? .max,
                anonymousFirstMs: try row.optionalTimestampMs(4) ?? .max,
                ownerMs: try row.optionalTimestampMs(5) ?? .max
            )
        )
    }

    static func look(for users: [BatchPeople.User]) -> SQL {
        """
        SELECT k.number, u.user_no, u.last_day, u.first_at
        FROM unnest(\(users.map(\.key.app))::integer[], \(users.map(\.key.environment))::smallint[],
                    \(users.map(\.id))::text[])
            WITH ORDINALITY AS k(app_no, environment, user_id, number)
        CROSS JOIN LATERAL (
            SELECT * FROM users n
            WHERE (n.app_no, n.environment, n.user_id) >= (k.app_no, k.environment, k.user_id)
            ORDER BY n.app_no, n.environment, n.user_id LIMIT 1
        ) u
        WHERE u.app_no = k.app_no AND u.environment = k.environment AND u.user_id = k.user_id
        """
    }

    static func user(_ row: borrowing Row) throws -> (Int, KnownUser) {
        (
            try row.int(0),
            KnownUser(
                number: try row.int32(1),
                lastDay: try row.optionalDate(2) ?? .min,
                firstMs: try row.optionalTimestampMs(3) ?? .max
            )
        )
    }

    /// Adds those without a row, complete with the facts of this batch.
    static func insertNew(_ people: BatchPeople, _ connection: isolated PostgresConnection) throws {
        let installs = people.installs.filter { $0.known == nil }
        if !installs.isEmpty {
            try connection.copyIn(
                """
                COPY installs (app_no, environment, install_id, install_no, last_day,
                               first_at, first_insert_id, first_context_no,
                               anonymous_first_at, anonymous_first_insert_id, anonymous_first_context_no,
                               owner_at, owner_insert_id, owner_no)
                FROM STDIN (FORMAT binary)
                """
            ) { writer in
                for install in installs { write(install, to: &writer) }
            }
        }
        let users = people.users.filter { $0.known == nil }
        guard !users.isEmpty else { return }
        try connection.copyIn(
            """
            COPY users (app_no, environment, user_id, user_no, last_day, first_at, first_insert_id, first_context_no)
            FROM STDIN (FORMAT binary)
            """
        ) { writer in
            for user in users { write(user, to: &writer) }
        }
    }

    private static func write(_ install: BatchPeople.Install, to writer: inout BinaryCopyWriter) {
        writer.startRow(columns: 14)
        writer.int32(install.key.app)
        writer.int16(install.key.environment)
        writer.uuid(high: install.key.id.high, low: install.key.id.low)
        writer.int32(install.number)
        writer.date(daysSinceEpoch: install.lastDay)
        for fact in [install.first, install.anonymousFirst, install.owner] { write(fact, to: &writer) }
    }

    private static func write(_ user: BatchPeople.User, to writer: inout BinaryCopyWriter) {
        writer.startRow(columns: 8)
        writer.int32(user.key.app)
        writer.int16(user.key.environment)
        writer.text(user.id)
        writer.int32(user.number)
        writer.date(daysSinceEpoch: user.lastDay)
        write(user.first, to: &writer)
    }

    private static func write(_ fact: FirstFact?, to writer: inout BinaryCopyWriter) {
        guard let fact else {
            for _ in 0..<3 { writer.null() }
            return
        }
        writer.timestamp(msSinceEpoch: fact.ms)
        writer.uuid(high: fact.insertID.high, low: fact.insertID.low)
        writer.int32(fact.number)
    }
}
