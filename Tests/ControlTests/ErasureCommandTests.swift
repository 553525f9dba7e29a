import AggregatorCore
import Contracts
import JSON
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct ErasureCommandTests {
    static let install = "6f1c2a9e-3b7d-4c55-8a2e-0d9b1f7e4c21"

    func create(_ app: String, _ option: String, _ value: String, _ url: String) async throws -> String {
        let run = await fgctl("erasure", "create", "--app", app, option, value, "--json", database: url)
        #expect(run.exitCode == 0)
        return try #require(run.json { $0["id"]?.string })
    }

    func fail(_ url: String) async throws {
        struct Failure: Error {}
        let worker = ErasureWorker(SubjectHasher(key: Secret("some key")), attemptsMax: 1) { _ in
            throw Failure()
        }
        try await withConnection(to: url) { _ = try await worker.pass($0) }
    }

    @Test func createPrintsTheRequestAsTheReadAPIDoes() async throws {
        try await withDatabase { url, _ in
            let app = try await makeApp(url)
            let run = await fgctl(
                "erasure",
                "create",
                "--app",
                app,
                "--user",
                "acct_8f14",
                "--json",
                database: url
            )
            #expect(
                run.members == [
                    "id", "app_id", "subject_type", "subject_value", "status", "source", "requested_at",
                    "started_at",
                    "completed_at", "error", "attempts",
                ]
            )
            #expect(run.json { $0["subject_value"]?.string } == "acct_8f14")
            #expect(run.json { $0["status"]?.string } == "pending")
            #expect(run.json { $0["source"]?.string } == "fgctl")
        }
    }

    @Test func createTwiceIsOneRequest() async throws {
        try await withDatabase { url, _ in
            let app = try await makeApp(url)
            let first = try await create(app, "--install", Self.install, url)
            #expect(try await create(app, "--install", Self.install.uppercased(), url) == first)
        }
    }

    @Test(
        arguments: [
            [], ["--user", "1", "--install", install], ["--install", "42"], ["--user", ""],
        ]
    )
    func createNeedsExactlyOneSubject(options: [String]) async throws {
        let app = UUID128.fixed(1).description
        let run = await fgctl(["erasure", "create", "--app", app] + options)
        #expect(run.exitCode == ExitCode.usage)
    }

    @Test func anUnknownAppIsAnError() async throws {
        try await withDatabase { url, _ in
            let app = UUID128.fixed(1).description
            let run = await fgctl("erasure", "create", "--app", app, "--user", "1", database: url)
            #expect(run.exitCode == 1 && run.complaints == ["fgctl: there is no app \(app)"])
        }
    }

    @Test func listShowsTheNewestFirstAndOnlyWhatIsAsked() async throws {
        try await withDatabase { url, _ in
            let (app, other) = (try await makeApp(url), try await makeApp(url))
            let first = try await create(app, "--user", "1", url)
            try await fail(url)
            let second = try await create(app, "--user", "2", url)
            _ = try await create(other, "--user", "3", url)
            let all = await fgctl("erasure", "list", "--app", app, "--json", database: url)
            #expect(all.json { $0["requests"]?.elements.map { $0["id"]?.string } } == [second, first])
            let failed = await fgctl("erasure", "list", "--status", "failed", "--json", database: url)
            #expect(failed.json { $0["requests"]?.elements.map { $0["id"]?.string } } == [first])
            #expect(
                await fgctl("erasure", "list", "--status", "lost", database: url).exitCode == ExitCode.usage
            )
        }
    }

    @Test func showTellsWhyARequestFailed() async throws {
        try await withDatabase { url, _ in
            let id = try await create(makeApp(url), "--user", "1", url)
            try await fail(url)
            let run = await fgctl("erasure", "show", id, "--json", database: url)
            #expect(run.json { $0["status"]?.string } == "failed")
            #expect(run.json { $0["error"]?.string } == "internal_error")
            #expect(run.json { $0["attempts"]?.int64 } == 1)
            #expect(await fgctl("erasure", "show", UUID128.fixed(1).description, database: url).exitCode == 1)
        }
    }

    @Test func retryMakesAFailedRequestPending() async throws {
        try await withDatabase { url, _ in
            let id = try await create(makeApp(url), "--user", "1", url)
            #expect(await fgctl("erasure", "retry", id, database: url).exitCode == 1)
            try await fail(url)
            let run = await fgctl("erasure", "retry", id, "--json", database: url)
            #expect(run.json { $0["status"]?.string } == "pending")
            #expect(run.json { $0["attempts"]?.int64 } == 0)
        }
    }

    @Test func retryBesideAnOpenRequestForTheSameIsRefused() async throws {
        try await withDatabase { url, _ in
            let app = try await makeApp(url)
            let id = try await create(app, "--user", "1", url)
            try await fail(url)
            _ = try await create(app, "--user", "1", url)
            let run = await fgctl("erasure", "retry", id, database: url)
            #expect(run.exitCode == 1 && run.complaints.first?.contains("another request") == true)
        }
    }

    @Test(
        arguments: [
            "INSERT INTO users (app_no, environment, user_id, user_no) VALUES (1, 0, 'acct_8f14e45f', 1)",
            "INSERT INTO set_aside_messages VALUES ('t', 0, 1, 'x', convert_to('{\"u\":\"acct\\u005f8f14e45f\"}', 'UTF8'))",
            "CREATE TABLE later AS SELECT '{\"deep\":[\"acct_8f14e45f\"]}'::jsonb AS notes",
            "CREATE TABLE later AS SELECT ARRAY['x', 'acct_8f14e45f'] AS names, 1 AS app_no",
        ]
    )
    func verifyFindsATraceWhereverItIs(planted: String) async throws {
        try await withDatabase { url, connection in
            let app = try await makeApp(url)
            let arguments = ["erasure", "verify", "--app", app, "--user", "acct_8f14e45f", "--json"]
            let environment = ["DATABASE_URL": url]
            let before = await fgctl(arguments, environment: environment)
            #expect(before.exitCode == 0 && before.json { $0["found"]?.int64 } == 0)
            #expect(before.complaints.contains("searched events") == false)
            #expect(before.complaints.contains("searched users"))
            try await connection.script(planted)
            let after = await fgctl(arguments, environment: environment)
            #expect(after.exitCode == 1 && after.json { $0["found"]?.int64 } == 1)
        }
    }

    @Test func verifyFindsAnInstallInAnyColumnOfEvents() async throws {
        try await withDatabase { url, connection in
            let app = try await makeApp(url)
            try await connection.script("SELECT ensure_events_partition('2026-10-14 00:00:00+00')")
            try await connection.script(
                """
                INSERT INTO events (app_no, environment, kind, event_time, received_at, client_time, insert_id,
                    session_id, install_no, context_no)
                VALUES (1, 0, 1, '2026-10-14', '2026-10-14', '2026-10-14', gen_random_uuid(), '\(Self.install)', 1, 1)
                """
            )
            let run = await fgctl("erasure", "verify", "--app", app, "--install", Self.install, database: url)
            #expect(run.exitCode == 1)
            #expect(run.output.contains("FOUND in 1 rows of session_id"))
            #expect(run.output.contains("events_2026_10  1 rows"))
        }
    }

    @Test func verifyLeavesOtherAppsAlone() async throws {
        try await withDatabase { url, connection in
            let (app, other) = (try await makeApp(url), try await makeApp(url))
            try await connection.script(
                "INSERT INTO users (app_no, environment, user_id, user_no) VALUES (2, 0, '7', 1)"
            )
            #expect(
                await fgctl("erasure", "verify", "--app", app, "--user", "7", database: url).exitCode == 0
            )
            #expect(
                await fgctl("erasure", "verify", "--app", other, "--user", "7", database: url).exitCode == 1
            )
        }
    }

    @Test func verifyWithTheKeyKnowsTheRules() async throws {
        try await withDatabase { url, _ in
            let key = "the key of the aggregators, long enough"
            let app = try await makeApp(url)
            _ = try await create(app, "--user", "someone", url)
            let worker = ErasureWorker(SubjectHasher(key: Secret(key)))
            try await withConnection(to: url) { _ = try await worker.pass($0) }
            let run = await fgctl(
                ["erasure", "verify", "--app", app, "--user", "someone", "--json"],
                environment: ["DATABASE_URL": url, "ERASURE_HASH_KEY": key]
            )
            #expect(run.exitCode == 0)
            #expect(run.json { $0["suppressions"]?.int64 } == 1)
        }
    }
}
