import Contracts
import Postgres
import TestSupport

/// Which events may and which must be left of a world from which several were erased, by the plain words of the rules.
///
/// In between lie anonymous events of installs that erased and other people used: whose they are depends on what was known at that time.
struct Survivors {
    private(set) var certain: Set<UUID128> = []
    private(set) var possible: Set<UUID128> = []

    init(of messages: [EventMessage], without subjects: [DeletionSubject]) {
        let erasedUsers = Set(subjects.filter { $0.type == .user }.map(\.value))
        let erasedInstalls = Set(subjects.compactMap(\.install))
        var usersOf: [Place: Set<String>] = [:]
        for message in messages {
            usersOf[Place(message), default: []].formUnion(message.events.compactMap(\.userID))
        }
        for message in messages where !erasedInstalls.contains(message.installID) {
            let users = usersOf[Place(message)] ?? []
            for event in message.events {
                if let user = event.userID {
                    guard !erasedUsers.contains(user) else { continue }
                    certain.insert(event.insertID)
                } else if users.isDisjoint(with: erasedUsers) {
                    certain.insert(event.insertID)
                } else if users.isSubset(of: erasedUsers) {
                    continue
                }
                possible.insert(event.insertID)
            }
        }
    }

    private struct Place: Hashable {
        let install: UUID128
        let environment: AppEnvironment

        init(_ message: EventMessage) {
            install = message.installID
            environment = message.contexts[0].environment
        }
    }
}

/// Rows of any table of the database that show a text.
func rowsShowing(_ text: String, _ connection: PostgresConnection) async throws -> [String] {
    let tables = try await connection.texts(
        """
        SELECT c.oid::regclass::text FROM pg_class c
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1 LIMIT 1000
        """
    )
    var found: [String] = []
    for table in tables {
        let rows = try await connection.number(
            "SELECT count(*) FROM " + SQL(unsafe: table) + " r WHERE strpos(r::text, \(text)) > 0"
        )
        if rows > 0 { found.append(table) }
    }
    return found
}
