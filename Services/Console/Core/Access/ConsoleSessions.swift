import Contracts
import Crypto
import Postgres
import Schema

/// A browser that is signed in.
struct ConsoleSession: Sendable, Equatable {
    var account: Account
    /// What a page must send with each change, so that no other site can make one.
    var csrfToken: String
    var tokenHash: [UInt8]
}

/// How long a session lasts: without being used, and at most.
struct SessionLimits: Sendable, Equatable {
    var idleMsMax: Int
    var ageMsMax: Int
}

/// Browsers that are signed in: a random token in a cookie, its hash in a table.
struct ConsoleSessions: Sendable {
    let limits: SessionLimits
    private static let tokenCharacters = 43
    /// Use is noted this coarsely, so that a page of many requests writes once.
    private static let seenEveryMs = 60_000

    /// Starts a session and returns the cookie's token.
    func start(_ account: UUID128, _ connection: isolated PostgresConnection) throws -> (
        token: String, csrfToken: String
    ) {
        let token = Base62.random(Self.tokenCharacters)
        let csrfToken = Base62.random(Self.tokenCharacters)
        _ = try connection.execute(
            """
            INSERT INTO console_sessions (token_hash, account_id, csrf_token, expires_at)
            VALUES (\(Self.hash(token))::bytea, \(account)::uuid, \(csrfToken),
                    now() + \(limits.ageMsMax)::bigint * interval '1 millisecond')
            """
        )
        _ = try connection.execute(
            "UPDATE accounts SET signed_in_at = now() WHERE account_id = \(account)::uuid"
        )
        return (token, csrfToken)
    }

    /// Nil for a token that is unknown, ended, unused for too long or too old.
    func find(_ token: String, _ connection: isolated PostgresConnection) throws -> ConsoleSession? {
        let hash = Self.hash(token)
        let found = try connection.first(
            """
            SELECT a.account_id, a.email, a.created_at, a.signed_in_at, s.csrf_token,
                   s.seen_at <= now() - \(Self.seenEveryMs)::bigint * interval '1 millisecond'
            FROM console_sessions s JOIN accounts a ON a.account_id = s.account_id
            WHERE s.token_hash = \(hash)::bytea AND s.expires_at > now()
              AND s.seen_at > now() - \(limits.idleMsMax)::bigint * interval '1 millisecond' LIMIT 1
            """
        ) {
            (
                session: ConsoleSession(
                    account: try Account($0),
                    csrfToken: try $0.string(4),
                    tokenHash: hash
                ),
                isDue: try $0.bool(5)
            )
        }
        if found?.isDue == true {
            _ = try connection.execute(
                "UPDATE console_sessions SET seen_at = now() WHERE token_hash = \(hash)::bytea"
            )
        }
        return found?.session
    }

    static func end(_ tokenHash: [UInt8], _ connection: isolated PostgresConnection) throws {
        _ = try connection.execute("DELETE FROM console_sessions WHERE token_hash = \(tokenHash)::bytea")
    }

    static func endAll(of account: UUID128, _ connection: isolated PostgresConnection) throws {
        _ = try connection.execute("DELETE FROM console_sessions WHERE account_id = \(account)::uuid")
    }

    /// Deletes those that have ended by themselves.
    func sweep(_ connection: isolated PostgresConnection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM console_sessions
            WHERE expires_at <= now() OR seen_at <= now() - \(limits.idleMsMax)::bigint * interval '1 millisecond'
            """
        )
    }

    private static func hash(_ token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
