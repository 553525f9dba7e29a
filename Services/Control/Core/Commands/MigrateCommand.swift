import JSON
import Postgres
import Schema

/// The command `fgctl migrate`.
enum MigrateCommand {
    static let spec = CommandSpec(
        words: ["migrate"],
        summary: "Bring the database to the newest schema",
        details: """
            Runs every step that is missing, each in a transaction of its own. Steps only go forward; running it again does nothing.
            With INGEST_DB_PASSWORD and its like set, the services' roles get these passwords.
            """
    ) { _, context in
        let connection = try await context.connect()
        let applied = try await Migrator.migrate(connection) { migration in
            context.progress("step \(migration.number): \(migration.name)")
        }
        try await setPasswords(connection, context)
        await connection.close()
        return result(applied)
    }

    private static func setPasswords(_ connection: PostgresConnection, _ context: CommandContext) async throws
    {
        for (role, password) in context.settings.rolePasswords.sorted(by: { $0.key < $1.key }) {
            // ALTER ROLE takes no parameters: the server itself quotes both into the statement.
            let statement = try await connection.first(
                "SELECT format('ALTER ROLE %I PASSWORD %L', \(role)::text, \(password)::text) LIMIT 1"
            ) {
                try $0.string(0)
            }
            if let statement { try await connection.script(statement) }
        }
    }

    private static func result(_ applied: [Schema.Migration]) -> CommandResult {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("applied")
        writer.beginArray()
        for migration in applied { writer.int(migration.number) }
        writer.endArray()
        writer.key("schema")
        writer.int(Schema.latest)
        writer.endObject()
        let text =
            applied.isEmpty
            ? "schema \(Schema.latest): nothing to do\n"
            : "schema \(Schema.latest): \(applied.count) steps applied\n"
        return CommandResult(text: text, json: writer.bytes)
    }
}
