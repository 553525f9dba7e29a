import Contracts
import Postgres
import Schema

/// Reads an app's people: all of them, or those that changed.
struct PeopleStatements {
    let scope: SQL
    private static let installColumns: SQL = """
        coalesce(i.owner_no, 0),
        i.first_at, i.first_insert_id, coalesce(i.first_context_no, 0),
        i.anonymous_first_at, i.anonymous_first_insert_id, coalesce(i.anonymous_first_context_no, 0)
        """
    private static let userColumns: SQL = "u.first_at, u.first_insert_id, coalesce(u.first_context_no, 0)"
    private let app: Int32
    private let environment: Int16

    init(app: Int32, environment: AppEnvironment) {
        self.app = app
        self.environment = environment.code
        scope = "app_no = \(app) AND environment = \(environment.code)"
    }

    /// Everybody, by COPY: a million rows of few bytes each.
    func everybody(_ connection: isolated PostgresConnection) throws -> PeopleMap {
        var map = PeopleMap()
        let last = try connection.first(
            """
            SELECT coalesce((SELECT max(install_no) FROM installs WHERE \(scope)), 0),
                   coalesce((SELECT max(user_no) FROM users WHERE \(scope)), 0)
            LIMIT 1
            """
        ) { (installs: try $0.int32(0), users: try $0.int32(1)) }
        map.reserve(installs: last?.installs ?? 0, users: last?.users ?? 0)
        // COPY takes no parameters; both are numbers of ours.
        let scope = "app_no = \(app) AND environment = \(environment)"
        try connection.copyOut(
            """
            COPY (SELECT install_no, owner_no, first_at, first_context_no, anonymous_first_at,
                         anonymous_first_insert_id, anonymous_first_context_no
                  FROM installs WHERE \(scope) LIMIT 1000000000) TO STDOUT (FORMAT binary)
            """
        ) { map.add(try PeopleMap.Install(&$0)) }
        try connection.copyOut(
            """
            COPY (SELECT user_no, first_at, first_insert_id, first_context_no
                  FROM users WHERE \(scope) LIMIT 1000000000) TO STDOUT (FORMAT binary)
            """
        ) { row in
            map.add(PeopleMap.User(number: try row.int32() ?? 0, first: try PeopleMap.FirstEvent(&row)))
        }
        map.deriveAll()
        return map
    }

    /// What changed since a cursor; numbers without a row any more come as deleted.
    func changes(since cursor: IdentityCursor, _ connection: isolated PostgresConnection) throws
        -> PeopleChanges
    {
        var changes = PeopleChanges()
        try connection.forEachRow(
            """
            SELECT c.number, i.install_no, \(Self.installColumns)
            FROM (\(numbers("installs", since: cursor))) c
            LEFT JOIN installs i
              ON i.app_no = \(app) AND i.environment = \(environment) AND i.install_no = c.number
            LIMIT 1000000000
            """
        ) { row in
            let number = try row.int32(0)
            guard try row.optionalInt32(1) != nil else {
                changes.deletedInstalls.append(number)
                return
            }
            changes.installs.append(try PeopleMap.Install(row, number: number, at: 2))
        }
        try connection.forEachRow(
            """
            SELECT c.number, u.user_no, \(Self.userColumns)
            FROM (\(numbers("users", since: cursor))) c
            LEFT JOIN users u ON u.app_no = \(app) AND u.environment = \(environment) AND u.user_no = c.number
            LIMIT 1000000000
            """
        ) { row in
            let number = try row.int32(0)
            guard try row.optionalInt32(1) != nil else {
                changes.deletedUsers.append(number)
                return
            }
            changes.users.append(
                PeopleMap.User(number: number, first: try PeopleMap.FirstEvent(row, at: 2))
            )
        }
        return changes
    }

    private func numbers(_ column: SQL, since cursor: IdentityCursor) -> SQL {
        "SELECT DISTINCT unnest(\(column)) AS number FROM identity_changes WHERE \(unseen(since: cursor))"
    }

    private func unseen(since cursor: IdentityCursor) -> SQL {
        """
        \(scope) AND transaction_id >= (\(cursor.xmin)::bigint)::text::xid8
          AND change_no <> ALL (\(cursor.state.open)::bigint[])
        """
    }

    /// How many installs and users changed since a cursor, at most.
    func changeCount(since cursor: IdentityCursor, _ connection: isolated PostgresConnection) throws -> Int {
        let count = try connection.first(
            """
            SELECT coalesce(sum(cardinality(installs) + cardinality(users)), 0)
            FROM identity_changes WHERE \(unseen(since: cursor)) LIMIT 1
            """
        ) { try $0.int(0) }
        return count ?? 0
    }

    /// Names the state of the people: moves with every change.
    func state(xmin: Int64, _ connection: isolated PostgresConnection) throws -> IdentityState {
        let border: SQL = "(\(xmin)::bigint)::text::xid8"
        let rows = try connection.rows(
            """
            (SELECT change_no, false FROM identity_changes WHERE \(scope) AND transaction_id < \(border)
             ORDER BY transaction_id DESC, change_no DESC LIMIT 1)
            UNION ALL
            (SELECT change_no, true FROM identity_changes WHERE \(scope) AND transaction_id >= \(border)
             ORDER BY change_no LIMIT 1000000)
            """
        ) { (number: try $0.int64(0), isOpen: try $0.bool(1)) }
        return IdentityState(
            settled: rows.first { !$0.isOpen }?.number ?? 0,
            open: rows.filter(\.isOpen).map(\.number)
        )
    }
}

extension PeopleMap.Install {
    /// The insert id of the first event is left out: it decides between several installs of an owner, and only for anonymous events.
    fileprivate init(_ row: inout BinaryCopyRow) throws {
        self.init(number: try row.int32() ?? 0, owner: try row.int32() ?? 0)
        let (firstMs, context) = (try row.timestampMs(), try row.int32())
        first = firstMs.map { PeopleMap.FirstEvent(ms: $0, insertID: .zero, context: context ?? 0) }
        anonymousFirst = try PeopleMap.FirstEvent(&row)
    }

    fileprivate init(_ row: borrowing Row, number: Int32, at column: Int = 1) throws {
        self.init(
            number: number,
            owner: try row.int32(column),
            first: try PeopleMap.FirstEvent(row, at: column + 1),
            anonymousFirst: try PeopleMap.FirstEvent(row, at: column + 4)
        )
    }
}

extension PeopleMap.FirstEvent {
    fileprivate init?(_ row: inout BinaryCopyRow) throws {
        let (ms, id, context) = (try row.timestampMs(), try row.uuid(), try row.int32())
        guard let ms else { return nil }
        let insertID = id.map { UUID128(high: $0.high, low: $0.low) } ?? .zero
        self.init(ms: ms, insertID: insertID, context: context ?? 0)
    }

    /// Three columns: the moment, the insert id, the context; nil without a moment.
    fileprivate init?(_ row: borrowing Row, at column: Int) throws {
        guard let ms = try row.optionalTimestampMs(column) else { return nil }
        let id = try row.optionalUUID(column + 1) ?? (0, 0)
        self.init(ms: ms, insertID: UUID128(high: id.0, low: id.1), context: try row.int32(column + 2))
    }
}
