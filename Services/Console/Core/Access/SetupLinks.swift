import Contracts
import ControlPlane
import Crypto
import Postgres
import Schema

/// Links for one use that make an account: the first one, printed at start, and those of members.
enum SetupLinks {
    static let hoursMax = 72

    /// Returns the token at the link's end, which cannot be had again.
    static func make(invitedBy account: UUID128?, email: String?, _ connection: isolated PostgresConnection)
        throws -> String
    {
        let token = KeyMaker.oneTimeToken()
        _ = try connection.execute(
            """
            INSERT INTO setup_links (token_hash, invited_by, email, expires_at)
            VALUES (\(hash(token))::bytea, \(account)::uuid, \(email), now() + make_interval(hours => \(hoursMax)))
            """
        )
        return token
    }

    /// Uses a link up.
    ///
    /// - Returns: the address it was made for; nil inside for any.
    /// - Throws: `ControlProblem.invalid` for a link that is unknown, used or too old, or a first link when
    ///   there is an account already.
    static func take(_ token: String, _ connection: isolated PostgresConnection) throws -> (
        email: String?, isFirst: Bool
    ) {
        let link = try connection.first(
            """
            DELETE FROM setup_links WHERE token_hash = \(hash(token))::bytea AND expires_at > now()
            RETURNING email, invited_by IS NULL
            """
        ) { (email: try $0.optionalString(0), isFirst: try $0.bool(1)) }
        guard let link else { throw ControlProblem.invalid(field: "token", "is used, too old or not known") }
        if link.isFirst {
            // Two first links may be about, of two consoles or two starts.
            try Accounts.hold(connection)
            guard try Accounts.count(connection) == 0 else {
                throw ControlProblem.invalid(field: "token", "there is an account already: sign in")
            }
        }
        return link
    }

    /// Deletes those that are too old to be used.
    static func sweep(_ connection: isolated PostgresConnection) throws -> Int {
        try connection.execute("DELETE FROM setup_links WHERE expires_at <= now()")
    }

    private static func hash(_ token: String) -> [UInt8] { SHA256.hash(Array(token.utf8)) }
}
