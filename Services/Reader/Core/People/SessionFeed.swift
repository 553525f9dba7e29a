import Contracts
import JSON
import Postgres
import Schema

/// A session of a person, told by its start.
struct ProfileSession: Sendable {
    var position: SessionPosition
    var sessionID: UUID128
    var installID: UUID128
    var startedAtMs: Int64
    var clientTimeMs: Int64
    /// The longest its ends told of; nil while none has come.
    var durationMs: Int64?
    /// The account the start named; nil for an anonymous one.
    var userID: String?
    var context: ClientContext

    init(_ row: borrowing Row) throws {
        position = SessionPosition(us: try row.int64(0), insertID: try row.uuid128(1))
        startedAtMs = try row.timestampMs(2)
        sessionID = try row.uuid128(3)
        installID = try row.uuid128(4)
        clientTimeMs = try row.timestampMs(5)
        durationMs = try row.optionalInt64(6)
        userID = try row.optionalString(7)
        context = try ClientContext(row, at: 8)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("session_id", sessionID)
        writer.member("install_id", installID)
        writer.member("user_id", userID)
        writer.member("started_at", atMs: startedAtMs)
        writer.member("client_time", atMs: clientTimeMs)
        writer.member("duration_ms", durationMs)
        context.write(to: &writer)
    }
}

/// The sessions of a person, the newest first.
///
/// A session is the person's whose start it is: named, or anonymous on an install they own first. A start opens a session unless the same
/// install started the same session in the 25 hours before it; ends are looked for on the same install within 25 hours.
struct SessionFeed {
    let walk: BackwardWalk
    private var person: Person { walk.person }

    init(_ person: Person) {
        walk = BackwardWalk(person: person)
    }

    /// A page of at most `limit`, and whether there are more behind it.
    func page(
        _ limit: Int,
        before: SessionPosition?,
        _ connection: isolated PostgresConnection
    ) throws -> (sessions: [ProfileSession], hasMore: Bool) {
        var sessions: [ProfileSession] = []
        // The instant of the cursor belongs to the window: others may have begun in the same microsecond.
        let endMs = before.map { $0.us / 1_000 + 1 } ?? .max
        try walk.run(endMs: endMs) { window in
            let statement = statement(window, before: before, limit: limit + 1 - sessions.count)
            sessions += try connection.rows(statement) { try ProfileSession($0) }
            return sessions.count > limit
        }
        return (Array(sessions.prefix(limit)), sessions.count > limit)
    }

    func statement(_ window: BackwardWalk.Window, before: SessionPosition?, limit: Int) -> SQL {
        let beyond: SQL =
            if let before {
                """
                AND (e.event_time, e.insert_id) <
                    ('epoch'::timestamptz + \(before.us)::bigint * interval '1 microsecond', \(before.insertID)::uuid)
                """
            } else { "" }
        return """
            SELECT (extract(epoch FROM s.event_time) * 1000000)::bigint, s.insert_id, s.event_time, s.session_id,
                   s.install_id, s.client_time, (\(Self.duration)), u.user_id, \(ClientContext.columns)
            FROM (
                SELECT e.*, i.install_id FROM (\(walk.installs(in: window))) i
                CROSS JOIN LATERAL (
                    SELECT e.* FROM events e
                    WHERE \(person.eventsOfInstall) AND \(window.holdsEvent) \(beyond)
                      AND e.kind = 1 AND \(person.ownsEvent) AND NOT EXISTS (\(Self.earlierStart))
                    ORDER BY e.event_time DESC, e.insert_id DESC LIMIT \(limit)
                ) e
                ORDER BY e.event_time DESC, e.insert_id DESC LIMIT \(limit)
            ) s
            JOIN contexts c ON c.context_no = s.context_no
            LEFT JOIN LATERAL (
                SELECT user_id FROM users
                WHERE app_no = s.app_no AND environment = s.environment AND user_no = s.user_no LIMIT 1
            ) u ON true
            ORDER BY s.event_time DESC, s.insert_id DESC LIMIT \(limit)
            """
    }

    /// A start `p` of the same session before the start `e`.
    ///
    /// `OFFSET 0` has it asked for each start that is wanted; it would else become a join with everything on the install.
    private static let earlierStart: SQL = """
        SELECT FROM events p
        WHERE p.app_no = e.app_no AND p.environment = e.environment AND p.install_no = e.install_no
          AND p.event_time >= e.event_time - interval '25 hours' AND p.event_time <= e.event_time
          AND p.kind = 1 AND p.session_id = e.session_id
          AND (p.event_time, p.insert_id) < (e.event_time, e.insert_id)
        OFFSET 0
        """

    /// Of the ends of the session that `s` opens.
    ///
    /// One dated before the start is of it too, unless an earlier session of the id is nearer.
    private static let duration: SQL = """
        SELECT max(d.duration_ms)::bigint FROM events d
        WHERE d.app_no = s.app_no AND d.environment = s.environment AND d.install_no = s.install_no
          AND d.event_time >= s.event_time - interval '25 hours' AND d.event_time <= s.event_time + interval '25 hours'
          AND d.kind = 2 AND d.session_id = s.session_id
          AND (d.event_time >= s.event_time OR NOT EXISTS (
              SELECT FROM events p
              WHERE p.app_no = d.app_no AND p.environment = d.environment AND p.install_no = d.install_no
                AND p.event_time >= d.event_time - interval '25 hours' AND p.event_time <= d.event_time
                AND p.kind = 1 AND p.session_id = d.session_id
              OFFSET 0))
        """
}
