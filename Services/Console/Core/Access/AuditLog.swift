import Contracts
import ControlPlane
import Postgres
import Schema

/// What can be done in the console; stored, so a name never changes its meaning.
enum AuditAction: String, Sendable, CaseIterable {
    case accountCreated = "account_created"
    case accountInvited = "account_invited"
    case accountRemoved = "account_removed"
    case passwordChanged = "password_changed"
    case signedIn = "signed_in"
    case signedOutEverywhere = "signed_out_everywhere"
    case appCreated = "app_created"
    case appRenamed = "app_renamed"
    case platformsAdded = "platforms_added"
    case timezoneChanged = "timezone_changed"
    case timezoneChangeCalledOff = "timezone_change_called_off"
    case appArchived = "app_archived"
    case appRestored = "app_restored"
    case appDeleted = "app_deleted"
    case appsMerged = "apps_merged"
    case writeKeyIssued = "write_key_issued"
    case writeKeyRevoked = "write_key_revoked"
    case apiKeyIssued = "api_key_issued"
    case apiKeyRevoked = "api_key_revoked"
    case deletionRequested = "deletion_requested"
}

/// Who changed what, and when; written in the transaction of the change.
enum AuditLog {
    struct Entry: Sendable {
        var number: Int64
        var atMs: Int64
        var email: String
        var action: String
        var appID: UUID128?
        var appName: String?
        var details: String?
    }

    /// - Parameter details: in words, without secrets, keys or ids of people.
    static func add(
        _ action: AuditAction,
        by email: String,
        app: AppSummary? = nil,
        details: String? = nil,
        _ connection: isolated PostgresConnection
    ) throws {
        _ = try connection.execute(
            """
            INSERT INTO audit_log (account_email, action, app_id, app_name, details)
            VALUES (\(email), \(action.rawValue), \(app?.id)::uuid, \(app?.name), \(details))
            """
        )
    }

    /// Newest first, before an entry.
    static func page(before: Int64?, app: UUID128?, limit: Int, _ connection: isolated PostgresConnection)
        throws
        -> [Entry]
    {
        try connection.rows(
            """
            SELECT entry_no, at, account_email, action, app_id, app_name, details FROM audit_log
            WHERE (\(before)::bigint IS NULL OR entry_no < \(before)::bigint)
              AND (\(app)::uuid IS NULL OR app_id = \(app)::uuid)
            ORDER BY entry_no DESC LIMIT \(limit)
            """
        ) {
            Entry(
                number: try $0.int64(0),
                atMs: try $0.timestampMs(1),
                email: try $0.string(2),
                action: try $0.string(3),
                appID: try $0.optionalUUID(4).map { UUID128(high: $0.high, low: $0.low) },
                appName: try $0.optionalString(5),
                details: try $0.optionalString(6)
            )
        }
    }
}
