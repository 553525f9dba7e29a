public import Contracts
public import Postgres
import Schema

/// An app with the facts its owner set.
public struct AppSummary: Sendable, Equatable {
    public var id: UUID128
    public var number: Int32
    public var name: String
    public var timezone: String
    public var platforms: [String]
    public var status: String
    public var createdAtMs: Int64
}

/// Makes, lists and changes apps; every change goes through here.
///
/// All of it works inside the caller's transaction, so that a change and its entry in the audit log are one.
public enum AppCatalogue {
    private static let columns: SQL =
        "app_id, app_no, name, timezone, array_to_string(platforms, ','), status, created_at"

    /// Creates an app with a write key for each platform and one for any.
    public static func create(
        name: String,
        platforms: [Platform],
        timezone: String,
        _ connection: isolated PostgresConnection
    ) throws -> (AppSummary, [WriteKey]) {
        let id = KeyMaker.identifier()
        let names = platforms.map(\.rawValue)
        let app = try connection.first(
            """
            INSERT INTO apps (app_id, name, timezone, platforms)
            VALUES (\(id)::uuid, \(name), \(timezone), \(names)::text[]) RETURNING \(columns)
            """
        ) { try AppSummary($0) }
        guard let app else { throw ControlProblem.appNotFound }
        let keys = try (platforms.map(Optional.some) + [nil]).map { platform in
            try WriteKeys.add(platform, app: id, connection)
        }
        return (app, keys)
    }

    /// All apps, in order of creation.
    public static func list(_ connection: isolated PostgresConnection) throws -> [AppSummary] {
        try connection.rows("SELECT \(columns) FROM apps ORDER BY created_at, app_id LIMIT 100000") {
            try AppSummary($0)
        }
    }

    /// Those that are neither merged into another nor deleted, nor about to be.
    public static func present(_ connection: isolated PostgresConnection) throws -> [AppSummary] {
        try connection.rows(
            """
            SELECT \(columns) FROM apps WHERE status IN ('active', 'archived')
            ORDER BY created_at, app_id LIMIT 100000
            """
        ) { try AppSummary($0) }
    }

    /// An app that is neither merged into another nor deleted, nor about to be.
    ///
    /// - Throws: `ControlProblem.appNotFound`, `PostgresError`.
    public static func find(_ id: UUID128, _ connection: isolated PostgresConnection) throws -> AppSummary {
        let app = try connection.first(
            """
            SELECT \(columns) FROM apps
            WHERE app_id = \(id)::uuid AND status IN ('active', 'archived') LIMIT 1
            """
        ) { try AppSummary($0) }
        guard let app else { throw ControlProblem.appNotFound }
        return app
    }

    public static func rename(_ id: UUID128, to name: String, _ connection: isolated PostgresConnection)
        throws
    {
        try changed(connection.execute("UPDATE apps SET name = \(name) WHERE app_id = \(id)::uuid"))
    }

    /// Adds platforms, each with a write key of its own; those the app has already are left alone.
    public static func addPlatforms(
        _ platforms: [Platform],
        to id: UUID128,
        _ connection: isolated PostgresConnection
    ) throws -> [WriteKey] {
        let present = try find(id, connection).platforms
        let added = platforms.filter { !present.contains($0.rawValue) }
        guard !added.isEmpty else { return [] }
        let names = added.map(\.rawValue)
        try changed(
            connection.execute(
                "UPDATE apps SET platforms = platforms || \(names)::text[] WHERE app_id = \(id)::uuid"
            )
        )
        return try added.map { try WriteKeys.add($0, app: id, connection) }
    }

    /// Takes no more events; reports stay.
    ///
    /// Its keys are refused within 15 seconds.
    public static func archive(_ id: UUID128, _ connection: isolated PostgresConnection) throws {
        try setStatus(.archived, from: .active, of: id, connection)
    }

    public static func restore(_ id: UUID128, _ connection: isolated PostgresConnection) throws {
        try setStatus(.active, from: .archived, of: id, connection)
    }

    private static func setStatus(
        _ status: AppStatus,
        from before: AppStatus,
        of id: UUID128,
        _ connection: isolated PostgresConnection
    ) throws {
        let count = try connection.execute(
            """
            UPDATE apps SET status = \(status.rawValue),
                            archived_at = CASE WHEN \(status == .archived)::boolean THEN now() END
            WHERE app_id = \(id)::uuid AND status = \(before.rawValue)
            """
        )
        guard count == 0 else { return }
        let found = try find(id, connection)
        // Asking twice changes nothing and is no mistake.
        guard found.status == status.rawValue else {
            throw ControlProblem.conflict("the app is \(found.status)")
        }
    }

    private static func changed(_ count: Int) throws(ControlProblem) {
        guard count == 1 else { throw .appNotFound }
    }
}

extension AppSummary {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        number = try row.int32(1)
        name = try row.string(2)
        timezone = try row.string(3)
        platforms = try row.string(4).split(separator: ",").map(String.init)
        status = try row.string(5)
        createdAtMs = try row.timestampMs(6)
    }
}
