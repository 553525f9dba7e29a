import Contracts
import ControlPlane
import HTTP
import JSON
import Postgres
import ServiceKit

/// Signing in and out, and the links that make accounts: what works without a session, or makes and ends one.
struct SessionAPI: Sendable {
    let pool: PostgresPool
    let hasher: PasswordHasher
    let limiter: SignInLimiter
    let isSecure: Bool

    /// Signs in; the cookie's token and the session.
    func signIn(_ request: HTTPRequest) async throws -> ConsoleAnswer {
        var fields = try RequestFields(request.body)
        let email = (try fields.text("email")).lowercased()
        let password = try fields.text("password")
        try fields.finish()
        if let seconds = limiter.admit(email: email, address: request.peer.description) {
            throw ConsoleRefusal(.rateLimited, retryAfterSeconds: seconds)
        }
        let found = try await pool.withConnection { connection in
            try await connection.perform { try Accounts.credentials(email, $0) }
        }
        guard await hasher.verify(password, against: found?.hash), let account = found?.account else {
            throw ConsoleRefusal(.invalidCredentials)
        }
        limiter.succeeded(email: email)
        return try await start(account, .signedIn)
    }

    /// Makes the account of a link and signs it in.
    func setUp(_ request: HTTPRequest) async throws -> ConsoleAnswer {
        var fields = try RequestFields(request.body)
        let token = try fields.text("token")
        let email = try Accounts.email(try fields.text("email"))
        let password = try Accounts.password(try fields.text("password"))
        try fields.finish()
        if let seconds = limiter.admit(email: email, address: request.peer.description) {
            throw ConsoleRefusal(.rateLimited, retryAfterSeconds: seconds)
        }
        let hash = await hasher.hash(password)
        let account = try await pool.withConnection { connection in
            try await connection.transaction { connection in
                let link = try SetupLinks.take(token, connection)
                guard link.email == nil || link.email == email else {
                    throw ControlProblem.invalid(field: "email", "is not the one that was invited")
                }
                let account = try Accounts.create(email: email, passwordHash: hash, connection)
                try AuditLog.add(.accountCreated, by: email, connection)
                return account
            }
        }
        return try await start(account, nil)
    }

    private func start(_ account: Account, _ action: AuditAction?) async throws -> ConsoleAnswer {
        let (token, csrfToken) = try await pool.withConnection { connection in
            try await connection.transaction { connection in
                if let action { try AuditLog.add(action, by: account.email, connection) }
                return try ConsoleSessions.start(account.id, connection)
            }
        }
        var answer = Self.session(account, csrfToken: csrfToken)
        answer.headers.append(("Set-Cookie", ConsoleSessions.setCookie(token, isSecure: isSecure)))
        return answer
    }

    /// Who is signed in, with the token that changes must carry.
    static func session(_ account: Account, csrfToken: String) -> ConsoleAnswer {
        .object { writer in
            writer.key("account")
            writer.beginObject()
            writer.write(account)
            writer.endObject()
            writer.member("csrf_token", csrfToken)
        }
    }

    /// Ends this session, or all of the account.
    func signOut(_ session: ConsoleSession, everywhere: Bool) async throws -> ConsoleAnswer {
        try await pool.withConnection { connection in
            try await connection.transaction { connection in
                guard everywhere else {
                    try ConsoleSessions.end(session.tokenHash, connection)
                    return
                }
                try ConsoleSessions.endAll(of: session.account.id, connection)
                try AuditLog.add(.signedOutEverywhere, by: session.account.email, connection)
            }
        }
        var answer = ConsoleAnswer.nothing
        answer.headers.append(("Set-Cookie", ConsoleSessions.setCookie(nil, isSecure: isSecure)))
        return answer
    }

    /// Changes the password, which signs out everywhere else, and starts a new session here.
    func changePassword(_ request: HTTPRequest, _ session: ConsoleSession) async throws -> ConsoleAnswer {
        var fields = try RequestFields(request.body)
        let current = try fields.text("current_password")
        let password = try Accounts.password(try fields.text("password"))
        try fields.finish()
        let email = session.account.email
        if let seconds = limiter.admit(email: email, address: request.peer.description) {
            throw ConsoleRefusal(.rateLimited, retryAfterSeconds: seconds)
        }
        let found = try await pool.withConnection { connection in
            try await connection.perform { try Accounts.credentials(email, $0) }
        }
        guard await hasher.verify(current, against: found?.hash) else {
            throw ConsoleRefusal(.invalidCredentials, field: "current_password")
        }
        limiter.succeeded(email: email)
        let hash = await hasher.hash(password)
        try await pool.withConnection { connection in
            try await connection.transaction { connection in
                try Accounts.setPassword(hash, of: session.account.id, connection)
                try AuditLog.add(.passwordChanged, by: email, connection)
            }
        }
        return try await start(session.account, nil)
    }
}
