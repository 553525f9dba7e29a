import Calendar
import Contracts
import Postgres
import Schema

/// A UTC day of receipt on which an app's new contexts are counted.
struct ContextDay: Hashable, Sendable, Comparable {
    let app: Int32
    let day: LocalDay

    static func < (left: ContextDay, right: ContextDay) -> Bool {
        (left.app, left.day) < (right.app, right.day)
    }
}

/// Bounds the new contexts an app may bring on one day.
///
/// Write keys are public, so anybody can send contexts nobody has seen; each is kept for ever and every reader holds it. Counted by the
/// day of receipt: that is ours and not the client's to choose, and a replay of a month counts thirty days and not one. The count lives in
/// a table and its row is locked until the commit, so restarts and further instances do not start again from zero.
struct ContextGuard {
    private var room: [ContextDay: Int] = [:]
    private let limit: Int
    private(set) var full: Set<ContextDay>

    /// - Parameter full: days known to have no room left; they need no look and no lock.
    init(limit: Int, full: Set<ContextDay>) {
        self.limit = limit
        self.full = full
    }

    /// Locks the counts of the days and reads them.
    mutating func lock(_ days: Set<ContextDay>, _ connection: isolated PostgresConnection) throws {
        for key in days.subtracting(full).sorted() {
            let isFirst = try connection.execute(
                """
                INSERT INTO context_counts (app_no, day, contexts) VALUES (\(key.app), \(key.day)::date, 0)
                ON CONFLICT DO NOTHING
                """
            )
            if isFirst > 0 { try prune(before: key, connection) }
            let count = try connection.first(
                """
                SELECT contexts FROM context_counts WHERE app_no = \(key.app) AND day = \(key.day)::date FOR UPDATE
                """
            ) { try $0.int(0) }
            room[key] = max(0, limit - (count ?? 0))
        }
    }

    /// Takes one new context, or says that there is no room for it.
    mutating func admits(_ day: ContextDay) -> Bool {
        guard let left = room[day], left > 0 else {
            full.insert(day)
            return false
        }
        room[day] = left - 1
        return true
    }

    static func record(
        _ made: [ContextDay: Int],
        _ connection: isolated PostgresConnection
    ) throws {
        for (key, count) in made.sorted(by: { $0.key < $1.key }) {
            _ = try connection.execute(
                """
                UPDATE context_counts SET contexts = contexts + \(count)
                WHERE app_no = \(key.app) AND day = \(key.day)::date
                """
            )
        }
    }

    /// Longer than the topic keeps its messages, which may all be replayed.
    private static let keptDays = 90

    private func prune(before key: ContextDay, _ connection: isolated PostgresConnection) throws {
        _ = try connection.execute(
            """
            DELETE FROM context_counts
            WHERE app_no = \(key.app) AND day < \(key.day.advanced(by: -Self.keptDays))::date
            """
        )
    }
}

extension EventContext {
    /// What is left when an app has brought too many contexts: the values that come from closed lists and from our own geo database.
    var withoutFreeText: EventContext {
        var context = self
        for field in ContextField.allCases { context[keyPath: field.keyPath] = nil }
        return context
    }
}
