public import Contracts
public import Postgres
import Schema

/// Tells which events of a batch storing would add, without storing anything.
public struct UnstoredEvents: Sendable {
    /// An event by what makes it one.
    public struct Identity: Sendable, Hashable {
        public let app: Int32
        public let insertID: UUID128
    }

    private var directory = AppDirectory()

    public init() {}

    /// The events that are not stored, each once.
    ///
    /// Those of unknown apps are left out, as storing does.
    public mutating func find(
        in messages: [DecodedMessage],
        _ connection: PostgresConnection
    ) async throws -> [Identity] {
        let known = directory
        let (found, refreshed) = try await connection.transaction { connection in
            var directory = known
            try directory.refresh(connection)
            var staged = AdmittedEvents()
            for message in messages {
                guard case .events(let content) = message.content, let app = directory[content.appID] else {
                    continue
                }
                staged.add(content, fingerprints: message.fingerprints, app: app)
            }
            return (try Self.find(staged, connection), directory)
        }
        directory = refreshed
        return found
    }

    /// Whether a message names an app there is; as of the last `find`.
    public func isOfKnownApp(_ message: EventMessage) -> Bool { directory[message.appID] != nil }

    private static func find(
        _ staged: AdmittedEvents,
        _ connection: isolated PostgresConnection
    ) throws -> [Identity] {
        guard !staged.events.isEmpty else { return [] }
        let range = staged.searchRange
        let apps = staged.events.map(\.app)
        let ids = staged.events.map(\.event.insertID.description)
        return try connection.rows(
            """
            SELECT DISTINCT s.app_no, s.insert_id
            FROM unnest(\(apps)::integer[], \(ids)::uuid[]) AS s (app_no, insert_id)
            WHERE NOT EXISTS (
                SELECT FROM events e
                WHERE e.app_no = s.app_no AND e.insert_id = s.insert_id
                  AND e.event_time >= \(PostgresTimestamp(ms: range.lowerBound))::timestamptz
                  AND e.event_time < \(PostgresTimestamp(ms: range.upperBound))::timestamptz)
            ORDER BY 1, 2 LIMIT \(staged.events.count)
            """
        ) { Identity(app: try $0.int32(0), insertID: try $0.uuid128(1)) }
    }
}
