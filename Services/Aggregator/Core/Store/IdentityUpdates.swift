import Calendar
import Postgres
import Schema

/// Keeps "first" facts: each is the smallest (event_time, insert_id), so late and repeated events end in the same state.
///
/// Only facts that are not later than the bound that is known go to the table, which then compares for itself: events of known people in
/// their usual order cause no statement at all, and an event that shares the first instant still finds the smaller id.
struct IdentityUpdates {
    private let statements: [SQL]

    init(_ people: BatchPeople) {
        let installs = people.installs.filter { $0.known != nil }
            .sorted {
                ($0.key.app, $0.key.environment, $0.number) < ($1.key.app, $1.key.environment, $1.number)
            }
        let users = people.users.filter { $0.known != nil }
            .sorted {
                ($0.key.app, $0.key.environment, $0.number) < ($1.key.app, $1.key.environment, $1.number)
            }
        statements = Self.statements(installs) + Self.statements(users)
    }

    func run(_ connection: isolated PostgresConnection) throws {
        for statement in statements { _ = try connection.execute(statement.plannedEachTime) }
    }

    private static func statements(_ installs: [BatchPeople.Install]) -> [SQL] {
        var (first, anonymous, owner, days) = (FactRows(), FactRows(), FactRows(), DayRows())
        for install in installs {
            guard let known = install.known else { continue }
            let person = Person(install.key.app, install.key.environment, known.number)
            first.add(install.first, of: person, unlessAfter: known.firstMs)
            anonymous.add(install.anonymousFirst, of: person, unlessAfter: known.anonymousFirstMs)
            owner.add(install.owner, of: person, unlessAfter: known.ownerMs)
            days.add(install.lastDay, of: person, ifAfter: known.lastDay)
        }
        return [
            first.update { rows in
                """
                UPDATE installs t SET first_at = n.at, first_insert_id = n.insert_id, first_context_no = n.number
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND (t.first_at IS NULL OR (n.at, n.insert_id) < (t.first_at, t.first_insert_id))
                """
            },
            anonymous.update { rows in
                """
                UPDATE installs t SET anonymous_first_at = n.at, anonymous_first_insert_id = n.insert_id,
                    anonymous_first_context_no = n.number
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND (t.anonymous_first_at IS NULL
                    OR (n.at, n.insert_id) < (t.anonymous_first_at, t.anonymous_first_insert_id))
                """
            },
            owner.update { rows in
                """
                UPDATE installs t SET owner_no = n.number, owner_at = n.at, owner_insert_id = n.insert_id
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND (t.owner_at IS NULL OR (n.at, n.insert_id) < (t.owner_at, t.owner_insert_id))
                """
            },
            days.update { rows in
                """
                UPDATE installs t SET last_day = n.day
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND (t.last_day IS NULL OR t.last_day < n.day)
                """
            },
        ].compactMap { $0 }
    }

    private static func statements(_ users: [BatchPeople.User]) -> [SQL] {
        var (first, days) = (FactRows(), DayRows())
        for user in users {
            guard let known = user.known else { continue }
            let person = Person(user.key.app, user.key.environment, known.number)
            first.add(user.first, of: person, unlessAfter: known.firstMs)
            days.add(user.lastDay, of: person, ifAfter: known.lastDay)
        }
        return [
            first.update { rows in
                """
                UPDATE users t SET first_at = n.at, first_insert_id = n.insert_id, first_context_no = n.number
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.user_no = n.person_no
                  AND (t.first_at IS NULL OR (n.at, n.insert_id) < (t.first_at, t.first_insert_id))
                """
            },
            days.update { rows in
                """
                UPDATE users t SET last_day = n.day
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.user_no = n.person_no
                  AND (t.last_day IS NULL OR t.last_day < n.day)
                """
            },
        ].compactMap { $0 }
    }
}

/// A row of `installs` or `users` by its numbers.
private struct Person {
    let app: Int32
    let environment: Int16
    let number: Int32

    init(_ app: Int32, _ environment: Int16, _ number: Int32) {
        self.app = app
        self.environment = environment
        self.number = number
    }
}

private struct FactRows {
    private var rows: [(person: Person, fact: FirstFact)] = []

    mutating func add(_ fact: FirstFact?, of person: Person, unlessAfter bound: Int64) {
        if let fact, fact.ms <= bound { rows.append((person, fact)) }
    }

    /// Nil when there is nothing to do.
    func update(_ statement: (SQL) -> SQL) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return statement(
            """
            unnest(\(rows.map(\.person.app))::integer[], \(rows.map(\.person.environment))::smallint[],
                   \(rows.map(\.person.number))::integer[],
                   \(rows.map { PostgresTimestamp(ms: $0.fact.ms) })::timestamptz[],
                   \(rows.map(\.fact.insertID))::uuid[], \(rows.map(\.fact.number))::integer[])
                AS n(app_no, environment, person_no, at, insert_id, number)
            """
        )
    }
}

private struct DayRows {
    private var rows: [(person: Person, day: LocalDay)] = []

    mutating func add(_ day: Int32, of person: Person, ifAfter bound: Int32) {
        if day > bound { rows.append((person, LocalDay(day))) }
    }

    func update(_ statement: (SQL) -> SQL) -> SQL? {
        guard !rows.isEmpty else { return nil }
        return statement(
            """
            unnest(\(rows.map(\.person.app))::integer[], \(rows.map(\.person.environment))::smallint[],
                   \(rows.map(\.person.number))::integer[], \(rows.map(\.day))::date[])
                AS n(app_no, environment, person_no, day)
            """
        )
    }
}
