import Calendar
import Contracts
import Postgres
import Schema

/// Keeps "first" facts: each is the smallest (event_time, insert_id), so late and repeated events end in the same state.
///
/// Only facts that are not later than the bound that is known go to the table, which then compares for itself: events of known people in
/// their usual order cause no statement at all, and an event that shares the first instant still finds the smaller id.
///
/// Rows are named by their number and their id: whichever of the two indexes the planner takes, it leads to one row.
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
        var (first, anonymous, owner) = (
            FactRows<UUID128>("uuid[]"), FactRows<UUID128>("uuid[]"), FactRows<UUID128>("uuid[]")
        )
        var days = DayRows<UUID128>("uuid[]")
        for install in installs {
            guard let known = install.known else { continue }
            let person = Person(install.key.app, install.key.environment, known.number, install.key.id)
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
                  AND t.install_id = n.person_id
                  AND (t.first_at IS NULL OR (n.at, n.insert_id) < (t.first_at, t.first_insert_id))
                """
            },
            anonymous.update { rows in
                """
                UPDATE installs t SET anonymous_first_at = n.at, anonymous_first_insert_id = n.insert_id,
                    anonymous_first_context_no = n.number
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND t.install_id = n.person_id
                  AND (t.anonymous_first_at IS NULL
                    OR (n.at, n.insert_id) < (t.anonymous_first_at, t.anonymous_first_insert_id))
                """
            },
            owner.update { rows in
                """
                UPDATE installs t SET owner_no = n.number, owner_at = n.at, owner_insert_id = n.insert_id
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND t.install_id = n.person_id
                  AND (t.owner_at IS NULL OR (n.at, n.insert_id) < (t.owner_at, t.owner_insert_id))
                """
            },
            days.update { rows in
                """
                UPDATE installs t SET last_day = n.day
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.install_no = n.person_no
                  AND t.install_id = n.person_id
                  AND (t.last_day IS NULL OR t.last_day < n.day)
                """
            },
        ].compactMap { $0 }
    }

    private static func statements(_ users: [BatchPeople.User]) -> [SQL] {
        var (first, days) = (FactRows<String>("text[]"), DayRows<String>("text[]"))
        for user in users {
            guard let known = user.known else { continue }
            let person = Person(user.key.app, user.key.environment, known.number, user.id)
            first.add(user.first, of: person, unlessAfter: known.firstMs)
            days.add(user.lastDay, of: person, ifAfter: known.lastDay)
        }
        return [
            first.update { rows in
                """
                UPDATE users t SET first_at = n.at, first_insert_id = n.insert_id, first_context_no = n.number
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.user_no = n.person_no
                  AND t.user_id = n.person_id
                  AND (t.first_at IS NULL OR (n.at, n.insert_id) < (t.first_at, t.first_insert_id))
                """
            },
            days.update { rows in
                """
                UPDATE users t SET last_day = n.day
                FROM \(rows) WHERE t.app_no = n.app_no AND t.environment = n.environment AND t.user_no = n.person_no
                  AND t.user_id = n.person_id
                  AND (t.last_day IS NULL OR t.last_day < n.day)
                """
            },
        ].compactMap { $0 }
    }
}

/// A row of `installs` or `users`.
private struct Person<ID: SQLValue & SQLArrayElement> {
    let app: Int32
    let environment: Int16
    let number: Int32
    let id: ID

    init(_ app: Int32, _ environment: Int16, _ number: Int32, _ id: ID) {
        self.app = app
        self.environment = environment
        self.number = number
        self.id = id
    }

    /// The first four columns.
    static func columns(of people: [Person], idType: SQL) -> SQL {
        """
        \(people.map(\.app))::integer[], \(people.map(\.environment))::smallint[], \(people.map(\.number))::integer[],
        \(people.map(\.id))::\(idType)
        """
    }
}

private struct FactRows<ID: SQLValue & SQLArrayElement> {
    private let idType: SQL
    private var people: [Person<ID>] = []
    private var facts: [FirstFact] = []

    init(_ idType: SQL) { self.idType = idType }

    mutating func add(_ fact: FirstFact?, of person: Person<ID>, unlessAfter bound: Int64) {
        guard let fact, fact.ms <= bound else { return }
        people.append(person)
        facts.append(fact)
    }

    /// Nil when there is nothing to do.
    func update(_ statement: (SQL) -> SQL) -> SQL? {
        guard !people.isEmpty else { return nil }
        return statement(
            """
            unnest(\(Person.columns(of: people, idType: idType)),
                   \(facts.map { PostgresTimestamp(ms: $0.ms) })::timestamptz[],
                   \(facts.map(\.insertID))::uuid[], \(facts.map(\.number))::integer[])
                AS n(app_no, environment, person_no, person_id, at, insert_id, number)
            """
        )
    }
}

private struct DayRows<ID: SQLValue & SQLArrayElement> {
    private let idType: SQL
    private var people: [Person<ID>] = []
    private var days: [LocalDay] = []

    init(_ idType: SQL) { self.idType = idType }

    mutating func add(_ day: Int32, of person: Person<ID>, ifAfter bound: Int32) {
        guard day > bound else { return }
        people.append(person)
        days.append(LocalDay(day))
    }

    func update(_ statement: (SQL) -> SQL) -> SQL? {
        guard !people.isEmpty else { return nil }
        return statement(
            """
            unnest(\(Person.columns(of: people, idType: idType)), \(days)::date[])
                AS n(app_no, environment, person_no, person_id, day)
            """
        )
    }
}
