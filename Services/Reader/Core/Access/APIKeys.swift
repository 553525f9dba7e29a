import Contracts
import Crypto
public import Postgres
public import Schema

/// What a secret key may do.
public struct APIAccess: Sendable {
    /// Notes a deletion request in the transaction that makes it.
    public typealias DeletionNote = @Sendable (DeletionRequest, isolated PostgresConnection) throws -> Void

    /// Everything, of every app: an owner at the console, who answers for each deletion.
    public static func owner(noting note: @escaping DeletionNote) -> APIAccess {
        APIAccess(scopes: Set(APIKeyScope.allCases), appID: nil, source: .console, note: note)
    }

    let scopes: Set<APIKeyScope>
    /// Nil for a key that sees every app.
    let appID: UUID128?
    /// Noted in the deletion requests that are made with it.
    let source: DeletionSource
    let note: DeletionNote?

    init(
        scopes: Set<APIKeyScope>,
        appID: UUID128?,
        source: DeletionSource = .api,
        note: DeletionNote? = nil
    ) {
        self.scopes = scopes
        self.appID = appID
        self.source = source
        self.note = note
    }

    func sees(_ app: UUID128) -> Bool { appID == nil || appID == app }
}

/// Looks keys up by their hash, each time: a revoked key must stop working at once, so nothing is remembered.
enum APIKeys {
    static func hash(_ key: String) -> [UInt8] { SHA256.hash(Array(key.utf8)) }

    static func access(_ key: String) -> SQL {
        """
        SELECT array_to_string(scopes, ','), app_id FROM api_keys
        WHERE key_hash = \(hash(key))::bytea AND revoked_at IS NULL LIMIT 1
        """
    }

    /// The key of `Authorization: Bearer sk_…`; nil for anything else.
    static func bearer(_ header: String?) -> String? {
        guard let header else { return nil }
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].hasPrefix(KeyPrefix.secret) else {
            return nil
        }
        return String(parts[1])
    }
}

extension APIAccess {
    init(_ row: borrowing Row) throws {
        self.init(
            scopes: Set(
                try row.string(0).split(separator: ",").compactMap { APIKeyScope(rawValue: String($0)) }
            ),
            appID: try row.optionalUUID(1).map { UUID128(high: $0.high, low: $0.low) }
        )
    }
}
