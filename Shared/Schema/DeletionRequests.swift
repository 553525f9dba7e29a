public import Contracts
import Crypto
public import Postgres

/// A deletion request as every API of ours shows it.
public struct DeletionRequest: Sendable {
    public let id: UUID128
    public let appID: UUID128
    public let appNumber: Int32
    public let type: DeletionSubjectType
    /// Nil once the request is done: from then on nobody needs to know it.
    public let value: String?
    public let status: DeletionStatus
    public let source: DeletionSource
    /// Times are milliseconds since 1970.
    public let requestedAtMs: Int64
    public let startedAtMs: Int64?
    public let completedAtMs: Int64?
    /// Attempts that failed.
    public let attempts: Int
    /// Why the last attempt failed, as a code; nil when none did or the request is done.
    public let error: String?
}

/// Makes and finds deletion requests; the reader, the console and fgctl all do it here.
///
/// The aggregator hears of a new one at once and fulfils it in the background.
public enum DeletionRequests {
    /// The channel on which new requests are announced.
    public static let channel = "foreground_erasure"
    private static let identifiers = IDGenerator()
    /// How often a request may be finished by the aggregator between our looking for it and making it.
    private static let triesMax = 10

    /// Makes a request, or returns the open one for the same subject.
    ///
    /// - Parameter app: `apps.app_no`; archived apps are as good as active ones.
    /// - Throws: `PostgresError`; `23503` when the app is gone.
    public static func create(
        app: Int32,
        _ subject: DeletionSubject,
        source: DeletionSource,
        nowMs: Int64,
        _ connection: isolated PostgresConnection
    ) throws -> DeletionRequest {
        let now = PostgresTimestamp(ms: nowMs)
        for _ in 0..<triesMax {
            let id = UUID128(bytes: identifiers.uuidV7(nowMs: nowMs)) ?? .zero
            let made = try connection.execute(
                """
                INSERT INTO deletion_requests
                    (request_id, app_no, subject_type, subject_value, source, requested_at, next_attempt_at)
                VALUES (\(id)::uuid, \(app), \(subject.type.rawValue), \(subject.value), \(source.rawValue),
                        \(now)::timestamptz, \(now)::timestamptz)
                ON CONFLICT (app_no, subject_type, subject_value) WHERE status IN ('pending', 'running') DO NOTHING
                """
            )
            let found =
                made == 1 ? try find(app: app, id, connection) : try open(app: app, subject, connection)
            if let found { return found }
        }
        throw PostgresError(sqlState: "40001", message: "the request is made and finished again and again")
    }

    /// Nil when the app has no such request.
    public static func find(
        app: Int32,
        _ id: UUID128,
        _ connection: isolated PostgresConnection
    ) throws -> DeletionRequest? {
        let statement: SQL = "\(selection) WHERE d.app_no = \(app) AND d.request_id = \(id)::uuid LIMIT 1"
        return try connection.first(statement) { try DeletionRequest($0) }
    }

    /// Whatever app it belongs to.
    public static func find(_ id: UUID128, _ connection: isolated PostgresConnection) throws
        -> DeletionRequest?
    {
        try connection.first("\(selection) WHERE d.request_id = \(id)::uuid LIMIT 1") {
            try DeletionRequest($0)
        }
    }

    /// The newest first.
    ///
    /// - Parameters:
    ///   - app: nil for those of all apps.
    ///   - status: nil for all.
    public static func list(
        app: Int32? = nil,
        status: DeletionStatus? = nil,
        limit: Int,
        _ connection: isolated PostgresConnection
    ) throws -> [DeletionRequest] {
        let statement: SQL = """
            \(selection)
            WHERE (\(app)::integer IS NULL OR d.app_no = \(app)::integer)
              AND (\(status?.rawValue)::text IS NULL OR d.status = \(status?.rawValue)::text)
            ORDER BY d.requested_at DESC, d.request_id DESC LIMIT \(limit)
            """
        return try connection.rows(statement) { try DeletionRequest($0) }
    }

    /// Gives a request that failed a new round of attempts; nil when it has not failed, or its subject is no longer known.
    ///
    /// - Throws: `PostgresError`; `23505` when another request for the same subject is open.
    public static func retry(
        _ id: UUID128,
        nowMs: Int64,
        _ connection: isolated PostgresConnection
    ) throws -> DeletionRequest? {
        let changed = try connection.execute(
            """
            UPDATE deletion_requests
            SET status = 'pending', attempts = 0, error = NULL,
                next_attempt_at = \(PostgresTimestamp(ms: nowMs))::timestamptz
            WHERE request_id = \(id)::uuid AND status = 'failed' AND subject_value IS NOT NULL
            """
        )
        guard changed == 1 else { return nil }
        try connection.script("NOTIFY \(channel)")
        return try find(id, connection)
    }

    private static func open(
        app: Int32,
        _ subject: DeletionSubject,
        _ connection: isolated PostgresConnection
    ) throws -> DeletionRequest? {
        let statement: SQL = """
            \(selection)
            WHERE d.app_no = \(app) AND d.subject_type = \(subject.type.rawValue)
              AND d.subject_value = \(subject.value) AND d.status IN ('pending', 'running') LIMIT 1
            """
        return try connection.first(statement) { try DeletionRequest($0) }
    }

    private static var selection: SQL {
        """
        SELECT d.request_id, a.app_id, d.app_no, d.subject_type, d.subject_value, d.status, d.source, d.requested_at,
               d.started_at, d.completed_at, d.attempts, d.error
        FROM deletion_requests d JOIN apps a ON a.app_no = d.app_no
        """
    }
}

extension DeletionRequest {
    fileprivate init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        appID = try row.uuid128(1)
        appNumber = try row.int32(2)
        type = try Self.known(try row.string(3))
        value = try row.optionalString(4)
        status = try Self.known(try row.string(5))
        source = try Self.known(try row.string(6))
        requestedAtMs = try row.timestampMs(7)
        startedAtMs = try row.optionalTimestampMs(8)
        completedAtMs = try row.optionalTimestampMs(9)
        attempts = try row.int(10)
        error = try row.optionalString(11)
    }

    /// The table checks its values; a word we do not know is a newer version's.
    private static func known<Word: RawRepresentable<String>>(_ text: String) throws(PostgresError) -> Word {
        guard let word = Word(rawValue: text) else {
            throw PostgresError(
                sqlState: "22000",
                message: "deletion_requests says something this version does not know"
            )
        }
        return word
    }
}
