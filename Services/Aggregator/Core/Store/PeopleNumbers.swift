import Contracts
import Postgres
import Schema

/// Finds the numbers of a batch's installs and users, and makes those that are missing.
enum PeopleNumbers {
    /// A world whose numbers are counted together.
    private struct World: Hashable, Comparable {
        let app: Int32
        let environment: Int16

        static func < (left: World, right: World) -> Bool {
            (left.app, left.environment) < (right.app, right.environment)
        }
    }

    /// Whoever adds an install or user holds its counter until the commit; what others added meanwhile is then visible.
    static func resolve(_ people: inout BatchPeople, _ connection: isolated PostgresConnection) throws {
        let unknown = missing(in: people).keys.sorted()
        guard !unknown.isEmpty else { return }
        let before = try counters(of: unknown, connection)
        try find(&people, connection)
        let worlds = missing(in: people).keys.sorted()
        guard !worlds.isEmpty else { return }
        let locked = try lock(worlds, connection)
        // A counter that has not moved since before the look says that nobody has added anything.
        if worlds.contains(where: { locked[$0] != before[$0, default: .zero] }) {
            try find(&people, connection)
        }
        try count(&people, connection)
    }

    /// The last numbers given out.
    private struct Counter: Equatable {
        let installs: Int32
        let users: Int32

        static let zero = Counter(installs: 0, users: 0)
    }

    private static func counters(
        of worlds: [World],
        _ connection: isolated PostgresConnection
    ) throws -> [World: Counter] {
        let rows = try connection.rows(
            """
            SELECT c.app_no, c.environment, c.install_last, c.user_last
            FROM unnest(\(worlds.map(\.app))::integer[], \(worlds.map(\.environment))::smallint[]) AS w(app_no, environment)
            JOIN number_counters c ON c.app_no = w.app_no AND c.environment = w.environment
            """
        ) {
            (
                World(app: try $0.int32(0), environment: Int16(truncatingIfNeeded: try $0.int32(1))),
                Counter(installs: try $0.int32(2), users: try $0.int32(3))
            )
        }
        return Dictionary(rows) { first, _ in first }
    }

    private static func find(_ people: inout BatchPeople, _ connection: isolated PostgresConnection) throws {
        let installs = people.installs.indices.filter { people.installs[$0].known == nil }
        if !installs.isEmpty {
            for (number, known) in try connection.rows(
                PeopleRows.look(for: installs.map { people.installs[$0].key }).plannedEachTime,
                decode: PeopleRows.install
            ) {
                people.installs[installs[number - 1]].known = known
                people.installs[installs[number - 1]].number = known.number
            }
        }
        let users = people.users.indices.filter { people.users[$0].known == nil }
        if !users.isEmpty {
            for (number, known) in try connection.rows(
                PeopleRows.look(for: users.map { people.users[$0] }).plannedEachTime,
                decode: PeopleRows.user
            ) {
                people.users[users[number - 1]].known = known
                people.users[users[number - 1]].number = known.number
            }
        }
    }

    /// How many installs and users have no row.
    private static func missing(in people: BatchPeople) -> [World: (installs: Int32, users: Int32)] {
        var missing: [World: (installs: Int32, users: Int32)] = [:]
        for install in people.installs where install.known == nil {
            let world = World(app: install.key.app, environment: install.key.environment)
            missing[world, default: (0, 0)].installs += 1
        }
        for user in people.users where user.known == nil {
            let world = World(app: user.key.app, environment: user.key.environment)
            missing[world, default: (0, 0)].users += 1
        }
        return missing
    }

    private static func lock(
        _ worlds: [World],
        _ connection: isolated PostgresConnection
    ) throws -> [World: Counter] {
        let (apps, environments) = (worlds.map(\.app), worlds.map(\.environment))
        _ = try connection.execute(
            """
            INSERT INTO number_counters (app_no, environment)
            SELECT * FROM unnest(\(apps)::integer[], \(environments)::smallint[]) ORDER BY 1, 2
            ON CONFLICT DO NOTHING
            """
        )
        var counters: [World: Counter] = [:]
        // One after the other in order, so that two stores never wait for each other.
        for world in worlds {
            counters[world] = try connection.first(
                """
                SELECT install_last, user_last FROM number_counters
                WHERE app_no = \(world.app) AND environment = \(world.environment) FOR UPDATE
                """
            ) { Counter(installs: try $0.int32(0), users: try $0.int32(1)) }
        }
        return counters
    }

    /// Gives numbers to what is still missing, in the order it came.
    private static func count(
        _ people: inout BatchPeople,
        _ connection: isolated PostgresConnection
    ) throws {
        let missing = missing(in: people)
        guard !missing.isEmpty else { return }
        let worlds = Array(missing.keys)
        let last = try connection.rows(
            """
            UPDATE number_counters c
            SET install_last = c.install_last + n.installs, user_last = c.user_last + n.users
            FROM unnest(\(worlds.map(\.app))::integer[], \(worlds.map(\.environment))::smallint[],
                        \(worlds.map { missing[$0]?.installs ?? 0 })::integer[],
                        \(worlds.map { missing[$0]?.users ?? 0 })::integer[])
                AS n(app_no, environment, installs, users)
            WHERE c.app_no = n.app_no AND c.environment = n.environment
            RETURNING c.app_no, c.environment, c.install_last - n.installs, c.user_last - n.users
            """
        ) {
            (
                World(app: try $0.int32(0), environment: Int16(truncatingIfNeeded: try $0.int32(1))),
                (installs: try $0.int32(2), users: try $0.int32(3))
            )
        }
        var next = Dictionary(last) { first, _ in first }
        for index in people.installs.indices where people.installs[index].known == nil {
            let key = people.installs[index].key
            let world = World(app: key.app, environment: key.environment)
            next[world, default: (0, 0)].installs += 1
            people.installs[index].number = next[world]?.installs ?? 0
        }
        for index in people.users.indices where people.users[index].known == nil {
            let key = people.users[index].key
            let world = World(app: key.app, environment: key.environment)
            next[world, default: (0, 0)].users += 1
            people.users[index].number = next[world]?.users ?? 0
        }
    }
}
