import Contracts
import ControlPlane
import Crypto
import Postgres
import Schema

/// Somebody who may use the console.
struct Account: Sendable, Equatable {
    var id: UUID128
    var email: String
    var createdAtMs: Int64
    var signedInAtMs: Int64?
}

/// The accounts of the console and their passwords.
enum Accounts {
    static let passwordScalarsMin = 12
    static let passwordBytesMax = 1024
    private static let lock: SQL = "SELECT pg_advisory_xact_lock(hashtext('foreground accounts'))"

    /// Lets one transaction at a time make the first account or remove the last but one.
    static func hold(_ connection: isolated PostgresConnection) throws {
        _ = try connection.rows(lock) { _ in }
    }

    /// In lower case, as it is stored.
    ///
    /// - Throws: `ControlProblem.invalid` for what cannot be an address.
    static func email(_ text: String) throws(ControlProblem) -> String {
        let email = text.lowercased()
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            (3...254).contains(email.unicodeScalars.count),
            !email.unicodeScalars.contains(where: {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            })
        else { throw .invalid(field: "email", "is not an address") }
        return email
    }

    static func password(_ text: String) throws(ControlProblem) -> String {
        guard text.unicodeScalars.count >= passwordScalarsMin else {
            throw .invalid(field: "password", "must have at least \(passwordScalarsMin) characters")
        }
        guard text.utf8.count <= passwordBytesMax else {
            throw .invalid(field: "password", "must have at most \(passwordBytesMax) bytes")
        }
        return text
    }

    static func count(_ connection: isolated PostgresConnection) throws -> Int {
        try connection.first("SELECT count(*) FROM accounts LIMIT 1") { try $0.int(0) } ?? 0
    }

    static func list(_ connection: isolated PostgresConnection) throws -> [Account] {
        try connection.rows(
            "SELECT account_id, email, created_at, signed_in_at FROM accounts ORDER BY created_at LIMIT 10000"
        ) { try Account($0) }
    }

    /// - Throws: `ControlProblem.conflict` when there is such an account.
    static func create(email: String, passwordHash: String, _ connection: isolated PostgresConnection) throws
        -> Account
    {
        let account = try connection.first(
            """
            INSERT INTO accounts (account_id, email, password_hash)
            VALUES (\(KeyMaker.identifier())::uuid, \(email), \(passwordHash)) ON CONFLICT DO NOTHING
            RETURNING account_id, email, created_at, signed_in_at
            """
        ) { try Account($0) }
        guard let account else { throw ControlProblem.conflict("there is an account with this address") }
        return account
    }

    /// The account of an address with the hash its password is compared with.
    static func credentials(_ email: String, _ connection: isolated PostgresConnection) throws -> (
        account: Account, hash: String
    )? {
        try connection.first(
            """
            SELECT account_id, email, created_at, signed_in_at, password_hash FROM accounts
            WHERE email = \(email) LIMIT 1
            """
        ) { (try Account($0), try $0.string(4)) }
    }

    /// Changes the password, which ends every session of the account.
    static func setPassword(_ hash: String, of id: UUID128, _ connection: isolated PostgresConnection) throws
    {
        _ = try connection.execute(
            """
            UPDATE accounts SET password_hash = \(hash), password_changed_at = now()
            WHERE account_id = \(id)::uuid
            """
        )
        try ConsoleSessions.endAll(of: id, connection)
    }

    /// Returns its address.
    ///
    /// - Throws: `ControlProblem.conflict` for the last account: nobody could sign in any more; `not_found`.
    static func remove(_ id: UUID128, _ connection: isolated PostgresConnection) throws -> String {
        // Two who remove each other at once would leave nobody.
        try hold(connection)
        let email = try connection.first(
            "DELETE FROM accounts WHERE account_id = \(id)::uuid RETURNING email"
        ) { try $0.string(0) }
        guard let email else { throw ConsoleRefusal(.notFound) }
        // Thrown, it takes the deletion back.
        guard try count(connection) > 0 else { throw ControlProblem.conflict("the last account must stay") }
        return email
    }
}

extension Account {
    init(_ row: borrowing Row) throws {
        id = try row.uuid128(0)
        email = try row.string(1)
        createdAtMs = try row.timestampMs(2)
        signedInAtMs = try row.optionalTimestampMs(3)
    }
}
