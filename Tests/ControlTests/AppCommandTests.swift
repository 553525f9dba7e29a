import Contracts
import JSON
import Postgres
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct AppCommandTests {
    @Test func createPrintsOneDocument() async throws {
        try await withDatabase { url, _ in
            let run = await fgctl(
                "app",
                "create",
                "--name",
                "Магазин \"1\"",
                "--platform",
                "ios",
                "--platform",
                "web",
                "--timezone",
                "Europe/Berlin",
                "--json",
                database: url
            )

            #expect(run.exitCode == 0)
            #expect(run.members == ["app_id", "name", "timezone", "platforms", "keys"])
            #expect(run.json { $0["name"]?.string } == "Магазин \"1\"")
            #expect(run.json { $0["timezone"]?.string } == "Europe/Berlin")
            #expect(run.json { $0["platforms"]?.elements.map(\.string) } == ["ios", "web"])
            #expect(run.json { $0["app_id"]?.string.flatMap { UUID128($0) } } != nil)
        }
    }

    @Test func createMakesAKeyForEachPlatformAndOneForAny() async throws {
        try await withDatabase { url, _ in
            let run = await fgctl(
                "app",
                "create",
                "--name",
                "Shop",
                "--platform",
                "ios",
                "--platform",
                "web",
                "--timezone",
                "UTC",
                "--json",
                database: url
            )

            #expect(run.membersOfFirst(in: "keys") == ["platform", "key"])
            #expect(
                run.json { $0["keys"]?.elements.map { $0["platform"]?.string } } == ["ios", "web", nil]
            )
            let keys = try #require(run.json { $0["keys"]?.elements.compactMap { $0["key"]?.string } })
            #expect(Set(keys).count == 3)
            #expect(keys.allSatisfy { $0.hasPrefix("pk_") && $0.count == 35 })
        }
    }

    @Test func createForPeopleShowsTheSameKeys() async throws {
        try await withDatabase { url, connection in
            let run = await fgctl(
                "app",
                "create",
                "--name",
                "Shop",
                "--platform",
                "ios",
                "--timezone",
                "UTC",
                database: url
            )

            let keys = try await connection.rows("SELECT key FROM write_keys ORDER BY key LIMIT 10") {
                try $0.string(0)
            }
            #expect(keys.count == 2)
            #expect(keys.allSatisfy { run.output.contains($0) })
        }
    }

    @Test func anAppMayBeCalledHelp() async throws {
        try await withDatabase { url, connection in
            let run = await fgctl(
                "app",
                "create",
                "--name",
                "help",
                "--platform",
                "ios",
                "--timezone",
                "UTC",
                database: url
            )

            let name = try await connection.first("SELECT name FROM apps LIMIT 1") { try $0.string(0) }
            #expect(run.exitCode == 0)
            #expect(name == "help")
        }
    }

    @Test func listOfNothingIsAnEmptyList() async throws {
        try await withDatabase { url, _ in
            #expect(await fgctl("app", "list", "--json", database: url).output == "{\"apps\":[]}\n")
            #expect(
                await fgctl("app", "list", database: url).output == "no apps yet: fgctl app create --help\n"
            )
        }
    }

    @Test func listHasTheStatus() async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url)

            let run = await fgctl("app", "list", "--json", database: url)

            #expect(run.membersOfFirst(in: "apps") == ["app_id", "name", "timezone", "platforms", "status"])
            #expect(run.json { $0["apps"]?.elements.map { $0["app_id"]?.string } } == [id])
            #expect(run.json { $0["apps"]?.elements.map { $0["status"]?.string } } == ["active"])
        }
    }
}

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct KeyCommandTests {
    @Test(arguments: [nil, "android"] as [String?]) func issuePrintsTheKey(platform: String?) async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url)
            let options = platform.map { ["--platform", $0] } ?? []

            let run = await fgctl(
                ["key", "issue", "--app", id, "--json"] + options,
                environment: ["DATABASE_URL": url]
            )

            #expect(run.members == ["platform", "key", "revoked"])
            #expect(run.json { $0["platform"]?.string } == platform)
            #expect(run.json { $0["key"]?.string }?.hasPrefix("pk_") == true)
        }
    }

    @Test func listShowsEveryKeyOfTheApp() async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url)
            _ = try await makeApp(url)
            _ = await fgctl("key", "issue", "--app", id, "--platform", "bot", database: url)

            let run = await fgctl("key", "list", "--app", id, "--json", database: url)

            let platforms = run.json { $0["keys"]?.elements.map { $0["platform"]?.string ?? "any" } }
            #expect(platforms?.sorted() == ["any", "bot", "ios", "web"])
        }
    }

    @Test func aRevokedKeyIsShownAsSuch() async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url, platforms: ["ios"])
            let issued = await fgctl("key", "issue", "--app", id, "--json", database: url)
            let key = try #require(issued.json { $0["key"]?.string })

            #expect(
                await fgctl("key", "revoke", key, "--json", database: url).output == "{\"revoked\":true}\n"
            )

            let run = await fgctl("key", "list", "--app", id, "--json", database: url)
            let revoked = run.json { root in
                root["keys"]?.elements.filter { $0["revoked"]?.bool == true }.compactMap { $0["key"]?.string }
            }
            #expect(revoked == [key])
        }
    }

    @Test func aKeyIsRevokedOnce() async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url)
            let issued = await fgctl("key", "issue", "--app", id, "--json", database: url)
            let key = try #require(issued.json { $0["key"]?.string })
            _ = await fgctl("key", "revoke", key, database: url)

            let run = await fgctl("key", "revoke", key, database: url)

            #expect(run.exitCode == 1)
            #expect(run.complaints == ["fgctl: there is no such key, or it is revoked already"])
        }
    }

    @Test(arguments: [["key", "issue"], ["key", "list"], ["api-key", "create", "--scope", "read"]])
    func anAppThatIsNotThereIs1(command: [String]) async throws {
        try await withDatabase { url, _ in
            let run = await fgctl(
                command + ["--app", "0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0"],
                environment: ["DATABASE_URL": url]
            )

            #expect(run.exitCode == 1)
            #expect(run.complaints == ["fgctl: there is no app 0f1e2d3c-4b5a-4968-8776-a5b4c3d2e1f0"])
        }
    }
}
