import Contracts
import Postgres
import Schema
import Wire

/// Reads what a block's numbers stand for: no more rows than the day has people.
struct FrozenPeopleQuery {
    let key: DayKey

    private var scope: SQL { "app_no = \(key.app) AND environment = \(key.environment)" }

    func load(_ block: DayBlock, _ connection: isolated PostgresConnection) throws -> FrozenPeople {
        var people = FrozenPeople()
        let installs = Array(Set(block.install))
        try connection.forEachRow(
            """
            SELECT install_no, coalesce(owner_no, 0),
                   first_at, first_insert_id, coalesce(first_context_no, 0),
                   anonymous_first_at, anonymous_first_insert_id, coalesce(anonymous_first_context_no, 0)
            FROM installs WHERE \(scope) AND install_no = ANY(\(installs)::integer[]) LIMIT \(installs.count)
            """
        ) { row in
            people.installs[try row.int32(0)] = FrozenPeople.Install(
                owner: try row.int32(1),
                first: try FrozenPeople.First(row, at: 2),
                anonymousFirst: try FrozenPeople.First(row, at: 5)
            )
        }
        let users = Array(Set(block.user).union(people.installs.values.map(\.owner)).subtracting([0]))
        try connection.forEachRow(
            """
            SELECT user_no, first_at, first_insert_id, coalesce(first_context_no, 0)
            FROM users WHERE \(scope) AND user_no = ANY(\(users)::integer[]) LIMIT \(users.count)
            """
        ) { row in
            people.userFirsts[try row.int32(0)] = .some(try FrozenPeople.First(row, at: 1))
        }
        try loadOwned(users, into: &people, connection)
        return people
    }

    /// An owner was seen on each of their installs, so the links lead to all of them.
    private func loadOwned(
        _ users: [Int32],
        into people: inout FrozenPeople,
        _ connection: isolated PostgresConnection
    ) throws {
        try connection.forEachRow(
            """
            SELECT DISTINCT ON (i.owner_no) i.owner_no, i.anonymous_first_at, i.anonymous_first_insert_id,
                   coalesce(i.anonymous_first_context_no, 0)
            FROM user_installs l
            JOIN installs i ON i.app_no = l.app_no AND i.environment = l.environment
             AND i.install_no = l.install_no AND i.owner_no = l.user_no
            WHERE l.app_no = \(key.app) AND l.environment = \(key.environment)
              AND l.user_no = ANY(\(users)::integer[]) AND i.anonymous_first_at IS NOT NULL
            ORDER BY i.owner_no, i.anonymous_first_at, i.anonymous_first_insert_id LIMIT \(users.count)
            """
        ) { row in
            people.ownedAnonymousFirsts[try row.int32(0)] = try FrozenPeople.First(row, at: 1)
        }
    }

    /// The dimension values of every context that the block or a first event names.
    func contexts(
        _ block: DayBlock,
        _ people: FrozenPeople,
        _ connection: isolated PostgresConnection
    ) throws -> [Int32: DayTotalsBuilder.ContextValues] {
        var numbers = Set(block.groups.map(\.context))
        for install in people.installs.values {
            numbers.formUnion([install.first, install.anonymousFirst].compactMap { $0?.context })
        }
        numbers.formUnion(people.userFirsts.values.compactMap { $0?.context })
        numbers.formUnion(people.ownedAnonymousFirsts.values.map(\.context))
        var contexts: [Int32: DayTotalsBuilder.ContextValues] = [:]
        try connection.forEachRow(
            """
            SELECT context_no, platform, os_name, os_version, app_version, device_model, device_type, country,
                   city, locale
            FROM contexts WHERE context_no = ANY(\(Array(numbers))::integer[]) AND app_no = \(key.app)
            LIMIT \(numbers.count)
            """
        ) { row in
            var values: DayTotalsBuilder.ContextValues = []
            for column in 1...9 { values.append(try row.optionalString(column)) }
            contexts[try row.int32(0)] = values
        }
        return contexts
    }
}

extension FrozenPeople.First {
    /// Three columns: the moment, the insert id, the context; nil without a moment.
    fileprivate init?(_ row: borrowing Row, at column: Int) throws {
        guard let ms = try row.optionalTimestampMs(column) else { return nil }
        let id = try row.optionalUUID(column + 1) ?? (0, 0)
        self.init(ms: ms, insertID: UUID128(high: id.0, low: id.1), context: try row.int32(column + 2))
    }
}
