import JSON
import Postgres
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct RetentionCommandTests {
    private func prepare(_ connection: PostgresConnection) async throws {
        try await connection.script("SELECT ensure_events_partition('2020-02-02 00:00+00')")
    }

    private func partitions(_ connection: PostgresConnection) async throws -> Int {
        try await connection.number("SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")
    }

    @Test(arguments: [[], ["--dry-run"]]) func itOnlyShowsUnlessTold(options: [String]) async throws {
        try await withDatabase { url, connection in
            try await prepare(connection)
            let run = await fgctl(["retention", "--json"] + options, environment: ["DATABASE_URL": url])

            #expect(run.exitCode == 0)
            #expect(run.members == ["kept_from", "done", "complete", "tables"])
            #expect(run.membersOfFirst(in: "tables") == ["table", "rows", "partitions", "bytes", "days"])
            #expect(run.json { $0["done"]?.bool } == false)
            let named = run.json { root in
                root["tables"]?.elements.first { $0["table"]?.string == "events" }?["partitions"]?.elements
                    .compactMap(\.string)
            }
            #expect(named == ["events_2020_02"])
            #expect(try await partitions(connection) == 1)
        }
    }

    @Test func nowItIsDone() async throws {
        try await withDatabase { url, connection in
            try await prepare(connection)
            let run = await fgctl("retention", "--now", "--json", database: url)

            #expect(run.exitCode == 0)
            #expect(run.json { $0["done"]?.bool } == true)
            #expect(try await partitions(connection) == 0)
        }
    }

    @Test func bothAtOnceIsNotUnderstood() async {
        let run = await fgctl("retention", "--now", "--dry-run", database: unreachableDatabaseURL)

        #expect(run.exitCode == 64)
    }

    @Test func aMergeThatRunsPutsItOff() async throws {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection)
            try await connection.execute(
                """
                INSERT INTO app_merges (source_app_id, source_app_no, target_app_no)
                VALUES (gen_random_uuid(), 99, \(app.number))
                """
            )
            let run = await fgctl("retention", "--now", database: url)

            #expect(run.exitCode == 1)
            #expect(run.complaints.first?.hasPrefix("fgctl: put off") == true)
        }
    }
}
