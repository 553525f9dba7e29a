import Postgres
import Schema
import TestSupport
import Testing

/// Every step against a database of its own.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct MigratorTests {
    @Test func everyStepRunsOnAnEmptyDatabase() async throws {
        try await withEmptyDatabase { _, connection in
            let ran = try await Migrator.migrate(connection)
            #expect(ran == Schema.migrations)
            let number = try await connection.number(Schema.currentNumber)
            #expect(number == Schema.latest)
        }
    }

    @Test func theSecondRunDoesNothing() async throws {
        try await withDatabase { _, connection in
            let before = try await Self.catalogue(connection)
            let ran = try await Migrator.migrate(connection)
            #expect(ran.isEmpty)
            let after = try await Self.catalogue(connection)
            #expect(after == before)
        }
    }

    @Test func everyStepLeavesADatabaseTheNextOneCanUse() async throws {
        let numbers = Schema.migrations.map(\.number)
        #expect(numbers.first == 1)
        #expect(numbers == Set(numbers).sorted())
    }

    @Test func twoMigratorsAtOnceRunEachStepOnce() async throws {
        for _ in 0..<5 {
            try await withEmptyDatabase { url, connection in
                try await withConnection(to: url) { other in
                    async let first = Migrator.migrate(connection)
                    async let second = Migrator.migrate(other)
                    let ran = try await first + second
                    #expect(ran == Schema.migrations)
                }
            }
        }
    }

    @Test func aDatabaseFromANewerVersionIsLeftAlone() async throws {
        try await withDatabase { _, connection in
            try await connection.script("INSERT INTO schema_migrations (number, name) VALUES (9999, 'later')")
            await #expect(throws: SchemaTooNew.self) { try await Migrator.migrate(connection) }
        }
    }

    @Test func aRefusedMigratorLetsTheNextOneTry() async throws {
        try await withDatabase { url, connection in
            try await connection.script("INSERT INTO schema_migrations (number, name) VALUES (9999, 'later')")
            await #expect(throws: SchemaTooNew.self) { try await Migrator.migrate(connection) }
            try await connection.script("DELETE FROM schema_migrations WHERE number = 9999")
            // Another session, while the refused one is still open.
            try await withConnection(to: url) { other in
                try await other.setStatementTimeout(ms: 5_000)
                let ran = try await Migrator.migrate(other)
                #expect(ran.isEmpty)
            }
        }
    }

    @Test func aStepThatFailsLeavesNothingAndCanBeRepeated() async throws {
        try await withEmptyDatabase { url, connection in
            // In the way of a later step's table.
            try await connection.script("CREATE TABLE closed_days ()")
            await #expect(throws: PostgresError.self) { try await Migrator.migrate(connection) }
            let marks = try await connection.number(
                "SELECT count(*) FROM pg_class WHERE relname = 'dirty_days' LIMIT 1"
            )
            #expect(marks == 0)
            try await connection.script("DROP TABLE closed_days")
            try await withConnection(to: url) { other in
                try await other.setStatementTimeout(ms: 5_000)
                let ran = try await Migrator.migrate(other)
                #expect(ran.last?.number == Schema.latest)
            }
        }
    }

    /// Everything a migration makes, as text.
    private static func catalogue(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.texts(
            """
            SELECT ROW(c.relname, c.relkind, a.attname, a.atttypid::regtype, c.relacl)::text
            FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE c.relnamespace = current_schema()::regnamespace
            UNION ALL SELECT ROW(number, name, applied_at)::text FROM schema_migrations
            ORDER BY 1 LIMIT 10000
            """
        )
    }
}
