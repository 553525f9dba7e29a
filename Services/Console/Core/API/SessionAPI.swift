import Contracts
import ControlPlane
import HTTP
import JSON
import Postgres

/// Signing in and out, and the links that make accounts: what works without a session, or makes and ends one.
struct SessionAPI: Sendable {
    let pool: PostgresPool
    let hasher: PasswordHasher
    let limiter: SignInLimiter
    let store: ConsoleSessions
    let cookie: SessionCookie

    /// Signs in; sets the cookie and answers with the session.
    func signIn(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        var fields = call.fields
        let email = (try fields.text("email")).lowercased()
        let password = try fields.text("password")
        try fields.finish()
        try limiter.admit(email: email, call.request.head)
        guard let account = try await verified(email, password) else {
            throw ConsoleRefusal(.invalidCredentials)
        }
        limiter.succeeded(email: email, call.request.head)
        return try await start(account, .signedIn)
    }

    /// Makes the account of a link and signs it in.
    func setUp(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        var fields = call.fields
        let token = try fields.text("token")
        let email = try Accounts.email(try fields.text("email"))
        let password = try Accounts.password(try fields.text("password"))
        try fields.finish()
        try limiter.admit(email: email, call.request.head)
        let hash = try await hasher.hash(password)
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
        limiter.succeeded(email: email, call.request.head)
        return try await start(account, nil)
    }

    /// The account, if this is its password; takes as long for an address that has none.
    private func verified(_ email: String, _ password: String) async throws -> Account? {
        let found = try await pool.withConnection { connection in
            try await connection.perform { try Accounts.credentials(email, $0) }
        }
        return try await hasher.verify(password, against: found?.hash) ? found?.account : nil
    }

    private func start(_ account: Account, _ action: AuditAction?) async throws -> ConsoleAnswer {
        let store = store
        let (token, csrfToken) = try await pool.withConnection { connection in
            try await connection.transaction { connection in
                if let action { try AuditLog.add(action, by: account.email, connection) }
                return try store.start(account.id, connection)
            }
        }
        var answer = Self.session(account, csrfToken: csrfToken)
        answer.headers.append(("Set-Cookie", cookie.set(token)))
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
        answer.headers.append(("Set-Cookie", cookie.clear))
        return answer
    }

    /// Changes the password, which signs out everywhere, and starts a new session here.
    func changePassword(_ call: ConsoleCall, _ session: ConsoleSession) async throws -> ConsoleAnswer {
        var fields = call.fields
        let current = try fields.text("current_password")
        let password = try Accounts.password(try fields.text("password"))
        try fields.finish()
        let account = session.account
        try limiter.admit(email: account.email, call.request.head)
        guard try await verified(account.email, current) != nil else {
            // Not 401: the session is as good as before.
            throw ConsoleRefusal(.invalidRequest, field: "current_password", reason: "is wrong")
        }
        limiter.succeeded(email: account.email, call.request.head)
        let hash = try await hasher.hash(password)
        try await pool.withConnection { connection in
            try await connection.transaction { connection in
                try Accounts.setPassword(hash, of: account.id, connection)
                try AuditLog.add(.passwordChanged, by: account.email, connection)
            }
        }
        return try await start(account, nil)
    }
}
