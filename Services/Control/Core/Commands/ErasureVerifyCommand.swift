import AggregatorCore
import Contracts
import JSON
import Postgres
import ServiceKit

/// The command `fgctl erasure verify`.
enum ErasureVerifyCommand {
    static let spec = CommandSpec(
        words: ["erasure", "verify"],
        summary: "Search every table for what an erasure should have left nothing of",
        details: """
            Looks at every column of text, uuid, bytea, JSON and arrays of them, in every table there is, for the value in all its \
            spellings: either case and without hyphens for an install, with JSON's escapes for a user. Tables that belong to apps are \
            searched for the one app. A user id of fewer than eight bytes would be part of much else and is looked for as a whole value or \
            between quotation marks. Exit code 1 if anything is found. A request that is not done still names its subject.
            """,
        options: [
            .value("app", "APP_ID", required: true, "the app"),
            .value("user", "USER_ID", "the user, exactly as the app sent it"),
            .value("install", "INSTALL_ID", "the install"),
        ]
    ) { arguments, context in
        let id = try Arguments.appID(arguments.first("app"))
        let subject = try Arguments.subject(arguments)
        let connection = try await context.connect()
        let app = try await ErasureCommands.number(of: id, connection)
        let search = TraceSearch(connection: connection, subject: subject, appID: id, app: app)
        let tables = try await search.run { context.progress("searched \($0)") }
        let rules = try await rules(for: subject, app: app, key: context.settings.erasureHashKey, connection)
        await connection.close()
        return report(tables, isWholeOnly: search.isWholeOnly, rules: rules)
    }

    /// How many rules keep the subject away; nil without the key, for the ledger holds hashes only.
    private static func rules(
        for subject: DeletionSubject,
        app: Int32,
        key: Secret?,
        _ connection: PostgresConnection
    ) async throws -> Int? {
        guard let key else { return nil }
        let hash = SubjectHasher(key: key).subject(subject)
        let statement: SQL = """
            SELECT count(*) FROM suppressions
            WHERE app_no = \(app) AND kind = \(subject.type.rawValue) AND subject_hash = \(hash)::bytea LIMIT 1
            """
        return try await connection.first(statement) { try $0.int(0) }
    }

    private static func report(_ tables: [SearchedTable], isWholeOnly: Bool, rules: Int?) -> CommandResult {
        let found = tables.reduce(0) { sum, table in sum + table.found.reduce(0) { $0 + $1.count } }
        var lines: [String] = []
        for table in tables {
            let columns = table.columns.isEmpty ? "nothing to search" : table.columns.joined(separator: ", ")
            lines.append("\(table.name)  \(table.rows) rows  \(columns)")
            lines += table.found.map { "  FOUND in \($0.count) rows of \($0.column)" }
        }
        if isWholeOnly {
            lines.append("The value is short: only whole values and values in quotation marks count.")
        }
        if let rules { lines.append("\(rules) rules of the suppression ledger keep the subject away.") }
        lines.append(found == 0 ? "Nothing found." : "Found in \(found) places.")
        return CommandResult(
            text: lines.joined(separator: "\n") + "\n",
            json: json(tables, found: found, isWholeOnly: isWholeOnly, rules: rules),
            exitCode: found == 0 ? 0 : 1
        )
    }

    private static func json(_ tables: [SearchedTable], found: Int, isWholeOnly: Bool, rules: Int?) -> [UInt8]
    {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("found")
        writer.int(found)
        writer.key("whole_values_only")
        writer.bool(isWholeOnly)
        writer.key("suppressions")
        if let rules { writer.int(rules) } else { writer.null() }
        writer.key("tables")
        writer.beginArray()
        for table in tables {
            writer.beginObject()
            writer.key("table")
            writer.string(table.name)
            writer.key("rows")
            writer.int(table.rows)
            writer.key("columns")
            writer.beginArray()
            for column in table.columns { writer.string(column) }
            writer.endArray()
            writer.key("found")
            writer.beginArray()
            for place in table.found {
                writer.beginObject()
                writer.key("column")
                writer.string(place.column)
                writer.key("rows")
                writer.int(place.count)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
