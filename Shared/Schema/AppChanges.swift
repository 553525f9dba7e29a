public import Contracts
public import Postgres

/// Why a merge or deletion of an app was not begun; the names are those the database's functions return.
public enum AppChangeRefusal: String, Error, Sendable, CaseIterable, CustomStringConvertible {
    case sameApp = "same_app"
    case unknownSource = "unknown_source"
    case unknownTarget = "unknown_target"
    case sourceNotActive = "source_not_active"
    case targetNotActive = "target_not_active"
    case sourceBusy = "source_busy"
    case unknownApp = "unknown_app"
    case busy
    case erasureOpen = "erasure_open"
    /// The database knows a reason that this version does not.
    case other

    public var description: String {
        switch self {
        case .sameApp: "an app cannot be merged into itself"
        case .unknownSource: "there is no such source app"
        case .unknownTarget: "there is no such target app"
        case .sourceNotActive: "the source app is archived, or being merged or deleted already"
        case .targetNotActive: "the target app is archived, or being merged or deleted"
        case .sourceBusy: "another app is being merged into the source app"
        case .unknownApp: "there is no such app"
        case .busy: "the app is part of a merge, or being deleted already"
        case .erasureOpen: "a deletion request waits or runs: wait until it is done"
        case .other: "the database refuses, for a reason this version does not know"
        }
    }
}

/// How far a merge or deletion of an app is.
public struct AppChangeProgress: Sendable, Equatable {
    public let isDone: Bool
    /// Events that left the source app, or rows deleted.
    public let count: Int64
    /// Of the events that left, the ones the target had already or that have expired.
    public let dropped: Int64
    /// Why the last attempt to go on failed; it is repeated until it works.
    public let error: String?
}

/// A merge or deletion that is under way.
public struct RunningAppChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case merge, deletion
    }

    /// The app that ends.
    public let appID: UUID128
    public let appName: String
    public let kind: Kind
    /// Where a merge leads to; nil for a deletion.
    public let targetID: UUID128?
    /// Milliseconds since 1970.
    public let startedAtMs: Int64
    /// Events that left the source, or rows deleted.
    public let rowsDone: Int64
    /// Why the last attempt to go on failed; it is repeated until it works.
    public let error: String?
}

/// Begins merges and deletions of apps and tells how far they are; the aggregator carries them out.
///
/// For whoever may call the database's `begin_…` functions: the control plane.
public enum AppChanges {
    /// Redirects the source's keys and messages to the target, in one moment between two batches; its stored events follow in the background.
    ///
    /// It cannot be undone.
    /// - Throws: `AppChangeRefusal`; `PostgresError`.
    public static func beginMerge(
        of source: UUID128,
        into target: UUID128,
        _ connection: PostgresConnection
    ) async throws {
        try await connection.transaction { try startMerge(of: source, into: target, $0) }
    }

    /// The same inside the caller's transaction, which must end soon: batches wait for it.
    public static func startMerge(
        of source: UUID128,
        into target: UUID128,
        _ connection: isolated PostgresConnection
    ) throws {
        try start("SELECT begin_app_merge(\(source)::uuid, \(target)::uuid) LIMIT 1", connection)
    }

    /// Takes the app's keys away at once; its rows follow in the background.
    ///
    /// - Throws: `AppChangeRefusal`; `PostgresError`.
    public static func beginDeletion(of app: UUID128, _ connection: PostgresConnection) async throws {
        try await connection.transaction { try startDeletion(of: app, $0) }
    }

    /// The same inside the caller's transaction, which must end soon: batches wait for it.
    public static func startDeletion(of app: UUID128, _ connection: isolated PostgresConnection) throws {
        try start("SELECT begin_app_deletion(\(app)::uuid) LIMIT 1", connection)
    }

    private static func start(_ statement: SQL, _ connection: isolated PostgresConnection) throws {
        let answer = try connection.first(statement) { try $0.string(0) } ?? ""
        guard answer != "started" else { return }
        throw AppChangeRefusal(rawValue: answer) ?? .other
    }

    /// Merges and deletions that are under way, the oldest first.
    public static func running(_ connection: isolated PostgresConnection) throws -> [RunningAppChange] {
        try connection.rows(
            """
            SELECT a.app_id, a.name, c.kind, t.app_id, c.requested_at, c.rows_done, c.error
            FROM (
                SELECT source_app_no AS app_no, 'merge' AS kind, target_app_no AS target_no, requested_at,
                       events_moved AS rows_done, error
                FROM app_merges WHERE status = 'running'
                UNION ALL
                SELECT deleted_app_no, 'deletion', NULL, requested_at, rows_deleted, error
                FROM app_deletions WHERE status = 'running'
            ) c
            JOIN apps a ON a.app_no = c.app_no LEFT JOIN apps t ON t.app_no = c.target_no
            ORDER BY c.requested_at, a.app_no LIMIT 10000
            """
        ) { try RunningAppChange($0) }
    }

    /// Nil when the app was never merged into another.
    public static func merge(of source: UUID128, _ connection: PostgresConnection) async throws
        -> AppChangeProgress?
    {
        try await connection.first(
            """
            SELECT status = 'done', events_moved, events_dropped, error FROM app_merges
            WHERE source_app_id = \(source)::uuid ORDER BY merge_id DESC LIMIT 1
            """
        ) { try AppChangeProgress($0) }
    }

    /// Nil when nobody asked for the app's deletion.
    public static func deletion(of app: UUID128, _ connection: PostgresConnection) async throws
        -> AppChangeProgress?
    {
        try await connection.first(
            """
            SELECT status = 'done', rows_deleted, 0::bigint, error FROM app_deletions
            WHERE app_id = \(app)::uuid ORDER BY deletion_id DESC LIMIT 1
            """
        ) { try AppChangeProgress($0) }
    }
}

extension AppChangeProgress {
    fileprivate init(_ row: borrowing Row) throws {
        isDone = try row.bool(0)
        count = try row.int64(1)
        dropped = try row.int64(2)
        error = try row.optionalString(3)
    }
}

extension RunningAppChange {
    fileprivate init(_ row: borrowing Row) throws {
        appID = try row.uuid128(0)
        appName = try row.string(1)
        kind = try row.string(2) == Kind.merge.rawValue ? .merge : .deletion
        targetID = try row.optionalUUID(3).map { UUID128(high: $0.high, low: $0.low) }
        startedAtMs = try row.timestampMs(4)
        rowsDone = try row.int64(5)
        error = try row.optionalString(6)
    }
}
