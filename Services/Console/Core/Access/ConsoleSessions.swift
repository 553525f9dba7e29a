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

/// Browsers that are signed in: a random token in a cookie, its hash in a table.
enum ConsoleSessions {
    static let cookie = "fg_session"
    private static let tokenCharacters = 43
    static let daysMax = 30

    /// Starts a session and returns the cookie's token.
    static func start(_ account: UUID128, _ connection: isolated PostgresConnection) throws -> (
        token: String, csrfToken: String
    ) {
        let token = Base62.random(tokenCharacters)
        let csrfToken = Base62.random(tokenCharacters)
        _ = try connection.execute("DELETE FROM console_sessions WHERE expires_at < now()")
        _ = try connection.execute(
            """
            INSERT INTO console_sessions (token_hash, account_id, csrf_token, expires_at)
            VALUES (\(hash(token))::bytea, \(account)::uuid, \(csrfToken), now() + make_interval(days => \(daysMax)))
            """
        )
        _ = try connection.execute(
            "UPDATE accounts SET signed_in_at = now() WHERE account_id = \(account)::uuid"
        )
        return (token, csrfToken)
    }

    /// Nil for a token that is unknown, ended or expired.
    static func find(_ token: String, _ connection: isolated PostgresConnection) throws -> ConsoleSession? {
        let hash = hash(token)
        return try connection.first(
            """
            SELECT a.account_id, a.email, a.created_at, a.signed_in_at, s.csrf_token
            FROM console_sessions s JOIN accounts a ON a.account_id = s.account_id
            WHERE s.token_hash = \(hash)::bytea AND s.expires_at > now() LIMIT 1
            """
        ) {
            ConsoleSession(account: try Account($0), csrfToken: try $0.string(4), tokenHash: hash)
        }
    }

    static func end(_ tokenHash: [UInt8], _ connection: isolated PostgresConnection) throws {
        _ = try connection.execute("DELETE FROM console_sessions WHERE token_hash = \(tokenHash)::bytea")
    }

    static func endAll(of account: UUID128, _ connection: isolated PostgresConnection) throws {
        _ = try connection.execute("DELETE FROM console_sessions WHERE account_id = \(account)::uuid")
    }

    private static func hash(_ token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }

    /// The token of a `Cookie` header; nil without one, or with two that differ.
    static func token(_ header: String?) -> String? {
        let values = (header ?? "").split(separator: ";").compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookie else { return nil }
            return String(parts[1])
        }
        guard Set(values).count == 1, let value = values.first, Base62.isValid(value) else { return nil }
        return value
    }

    /// Nil for `token` takes the cookie away.
    static func setCookie(_ token: String?, isSecure: Bool) -> String {
        let ageSeconds = token == nil ? 0 : daysMax * 86_400
        return "\(cookie)=\(token ?? ""); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(ageSeconds)"
            + (isSecure ? "; Secure" : "")
    }
}
