import Calendar
import Contracts
import ControlPlane
import HTTP
import JSON
import Postgres

/// Operations on secret keys, members and the audit log.
enum AccessOperations {
    static let all: [ConsoleOperation] = [
        ConsoleOperation("GET", "api-keys") { _, _, connection in
            .items(try SecretKeys.list(connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "api-keys", issueKey),
        ConsoleOperation("DELETE", "api-keys/{key_id}") { call, account, connection in
            try call.fields.finish()
            let key = try SecretKeys.revoke(try call.id("key_id"), connection)
            try AuditLog.add(
                .apiKeyRevoked,
                by: account.email,
                app: try key.appID.map { try AppCatalogue.find($0, connection) },
                details: key.words,
                connection
            )
            return .nothing
        },
        ConsoleOperation("GET", "members") { _, _, connection in
            .items(try Accounts.list(connection)) { $1.write($0) }
        },
        ConsoleOperation("POST", "members", invite),
        ConsoleOperation("DELETE", "members/{account_id}") { call, account, connection in
            try call.fields.finish()
            let email = try Accounts.remove(try call.id("account_id"), connection)
            try AuditLog.add(.accountRemoved, by: account.email, details: email, connection)
            return .nothing
        },
        ConsoleOperation("GET", "audit", query: ["before", "app_id"], audit),
        ConsoleOperation("GET", "timezones") { _, _, _ in
            .object { $0.member("items", LocalZone.knownNames.sorted()) }
        },
    ]

    private static func issueKey(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let names = try fields.list("scopes") ?? []
        let appText = try fields.optionalText("app_id")
        try fields.finish()
        let scopes = names.compactMap(APIKeyScope.init(rawValue:))
        guard scopes.count == names.count else {
            throw ConsoleRefusal(.invalidRequest, field: "scopes", reason: "each must be read or delete")
        }
        let app = try appText.map { text throws(ControlProblem) in
            guard let id = UUID128(text) else { throw ControlProblem.appNotFound }
            return id
        }
        let (key, record) = try SecretKeys.issue(scopes: Set(scopes), app: app, connection)
        try AuditLog.add(
            .apiKeyIssued,
            by: account.email,
            app: try app.map { try AppCatalogue.find($0, connection) },
            details: record.words,
            connection
        )
        return .object(201) { writer in
            writer.write(record)
            writer.member("key", key)
        }
    }

    /// Answers with the end of a link that makes the account; it is shown once.
    private static func invite(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        var fields = call.fields
        let email = try Accounts.email(try fields.text("email"))
        try fields.finish()
        guard try Accounts.credentials(email, connection) == nil else {
            throw ControlProblem.conflict("there is an account with this address")
        }
        let token = try SetupLinks.make(invitedBy: account.id, email: email, connection)
        try AuditLog.add(.accountInvited, by: account.email, details: email, connection)
        return .object(201) { writer in
            writer.member("email", email)
            writer.member("path", "/setup#" + token)
        }
    }

    private static let pageMax = 100

    private static func audit(
        _ call: ConsoleCall,
        _ account: Account,
        _ connection: isolated PostgresConnection
    ) throws -> ConsoleAnswer {
        let before = try call.number("before", in: 1...Int64.max)
        let app = try call.query["app_id"].map { text throws(ConsoleRefusal) in
            guard let id = UUID128(text) else {
                throw ConsoleRefusal(.invalidRequest, field: "app_id", reason: "must be an app's id")
            }
            return id
        }
        let entries = try AuditLog.page(before: before, app: app, limit: pageMax + 1, connection)
        let page = entries.prefix(pageMax)
        return .object { writer in
            writer.key("items")
            writer.beginArray()
            for entry in page {
                writer.beginObject()
                writer.member("at", timeMs: entry.atMs)
                writer.member("email", entry.email)
                writer.member("action", entry.action)
                writer.member("app_id", entry.appID)
                writer.member("app_name", entry.appName)
                writer.member("details", entry.details)
                writer.endObject()
            }
            writer.endArray()
            writer.member("next_before", entries.count > pageMax ? page.last.map { "\($0.number)" } : nil)
        }
    }
}

extension SecretKey {
    /// For the audit log: what lists show of it anyway.
    fileprivate var words: String { "\(prefix)…: \(scopes.joined(separator: ", "))" }
}
