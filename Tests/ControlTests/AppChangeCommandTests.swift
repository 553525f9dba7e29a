import JSON
import Postgres
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct AppChangeCommandTests {
    private func names(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.texts("SELECT status FROM apps ORDER BY app_no LIMIT 10")
    }

    @Test func aMergeWithWaitIsDone() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url, platforms: ["android"]))
            let run = await fgctl(
                "app",
                "merge",
                "--from",
                source,
                "--into",
                target,
                "--confirm",
                "Shop",
                "--wait",
                "--json",
                database: url
            )

            #expect(run.exitCode == 0)
            #expect(run.output == #"{"status":"done","events_moved":0,"events_dropped":0}"# + "\n")
            let platforms = try await connection.texts(
                "SELECT array_to_string(platforms, ',') FROM apps LIMIT 10"
            )
            #expect(platforms == ["ios,web,android"])
            let keys = try await connection.number("SELECT count(*) FROM write_keys")
            #expect(keys == 5)
        }
    }

    @Test func withoutWaitItIsBegun() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            let run = await fgctl(
                ["app", "merge", "--from", source, "--into", target, "--confirm", "Shop", "--json"],
                environment: ["DATABASE_URL": url]
            )

            #expect(run.json { $0["status"]?.string } == "running")
            #expect(try await names(connection) == ["active", "merging"])
        }
    }

    @Test func aDryRunShowsWhatWouldMove() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            let run = await fgctl(
                ["app", "merge", "--from", source, "--into", target, "--dry-run", "--json"],
                environment: ["DATABASE_URL": url]
            )

            #expect(
                run.members == [
                    "events", "installs", "users", "shared_users", "days", "frozen_days", "write_keys",
                    "api_keys_revoked",
                ]
            )
            #expect(run.json { $0["write_keys"]?.int64 } == 3)
            #expect(try await names(connection) == ["active", "active"])
        }
    }

    @Test(arguments: [[], ["--confirm", "shop"], ["--confirm", ""]])
    func theNameHasToBeSpelledExactly(confirm: [String]) async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            let merge = await fgctl(
                ["app", "merge", "--from", source, "--into", target] + confirm,
                environment: ["DATABASE_URL": url]
            )
            let delete = await fgctl(
                ["app", "delete", "--app", source] + confirm,
                environment: ["DATABASE_URL": url]
            )

            #expect(merge.exitCode == 64 && delete.exitCode == 64)
            #expect(try await names(connection) == ["active", "active"])
        }
    }

    @Test func aRefusalIsASentence() async throws {
        try await withDatabase { url, connection in
            let (target, source) = (try await makeApp(url), try await makeApp(url))
            try await connection.execute("UPDATE apps SET status = 'archived' WHERE app_id = \(target)::uuid")
            let run = await fgctl(
                ["app", "merge", "--from", source, "--into", target, "--confirm", "Shop"],
                environment: ["DATABASE_URL": url]
            )

            #expect(run.exitCode == 1)
            #expect(run.complaints == ["fgctl: the target app is archived, or being merged or deleted"])
        }
    }

    @Test func anAppIsNotMergedIntoItself() async throws {
        try await withDatabase { url, _ in
            let app = try await makeApp(url)
            let run = await fgctl(
                ["app", "merge", "--from", app, "--into", app, "--confirm", "Shop"],
                environment: ["DATABASE_URL": url]
            )

            #expect(run.complaints == ["fgctl: an app cannot be merged into itself"])
        }
    }

    @Test func aDeletionWithWaitLeavesNothing() async throws {
        try await withDatabase { url, connection in
            let app = try await makeApp(url)
            let run = await fgctl(
                "app",
                "delete",
                "--app",
                app,
                "--confirm",
                "Shop",
                "--wait",
                "--json",
                database: url
            )

            #expect(run.exitCode == 0)
            #expect(run.members == ["status", "rows_deleted"])
            let left = try await connection.number(
                "SELECT (SELECT count(*) FROM apps) + (SELECT count(*) FROM write_keys)"
            )
            #expect(left == 0)
        }
    }

    @Test func nobodyGivesKeysToAnAppThatGoes() async throws {
        try await withDatabase { url, _ in
            let app = try await makeApp(url)
            _ = await fgctl("app", "delete", "--app", app, "--confirm", "Shop", database: url)

            #expect(await fgctl("key", "issue", "--app", app, database: url).exitCode == 1)
            let key = await fgctl("api-key", "create", "--scope", "read", "--app", app, database: url)
            #expect(key.exitCode == 1)
        }
    }
}
