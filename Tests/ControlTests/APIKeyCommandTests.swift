import Contracts
import Crypto
import JSON
import Postgres
import TestSupport
import Testing

@testable import ControlCore

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct APIKeyCommandTests {
    private func create(_ url: String, _ options: String...) async -> ToolRun {
        await fgctl(["api-key", "create", "--json"] + options, environment: ["DATABASE_URL": url])
    }

    @Test func createPrintsOneDocument() async throws {
        try await withDatabase { url, _ in
            let run = await create(url, "--scope", "read")

            #expect(run.exitCode == 0)
            #expect(run.members == ["key", "prefix", "scopes", "app_id"])
            #expect(run.json { $0["scopes"]?.elements.map(\.string) } == ["read"])
            #expect(run.json { $0["app_id"]?.isNull } == true)
        }
    }

    @Test func theKeyBeginsWithItsPrefix() async throws {
        try await withDatabase { url, _ in
            let run = await create(url, "--scope", "read")

            let key = try #require(run.json { $0["key"]?.string })
            let prefix = try #require(run.json { $0["prefix"]?.string })
            #expect(key.hasPrefix("sk_") && key.count == 35)
            #expect(key.hasPrefix(prefix) && prefix.count == 11)
        }
    }

    @Test func scopesAreSortedAndOnce() async throws {
        try await withDatabase { url, _ in
            let run = await create(url, "--scope", "read", "--scope", "delete", "--scope", "read")

            #expect(run.json { $0["scopes"]?.elements.map(\.string) } == ["delete", "read"])
        }
    }

    @Test func aKeyMayBeBoundToAnApp() async throws {
        try await withDatabase { url, _ in
            let id = try await makeApp(url)

            #expect(await create(url, "--scope", "read", "--app", id).json { $0["app_id"]?.string } == id)
        }
    }

    @Test func onlyTheHashIsKept() async throws {
        try await withDatabase { url, connection in
            let key = try #require(await create(url, "--scope", "read").json { $0["key"]?.string })

            let row = try await connection.first("SELECT key_hash, api_keys::text FROM api_keys LIMIT 1") {
                (try $0.bytes(0), try $0.string(1))
            }
            #expect(row?.0 == SHA256.hash(Array(key.utf8)))
            #expect(row?.1.contains(key.dropFirst(11)) == false)
        }
    }

    @Test func listShowsBeginningsOnly() async throws {
        try await withDatabase { url, _ in
            let created = await create(url, "--scope", "read")
            let key = try #require(created.json { $0["key"]?.string })

            let run = await fgctl("api-key", "list", "--json", database: url)

            #expect(run.membersOfFirst(in: "keys") == ["prefix", "scopes", "app_id", "revoked"])
            #expect(!run.output.contains(key))
            #expect(run.output.contains(key.prefix(11)))
        }
    }

    @Test func revokeTakesTheBeginning() async throws {
        try await withDatabase { url, _ in
            let prefix = try #require(await create(url, "--scope", "read").json { $0["prefix"]?.string })

            #expect(
                await fgctl("api-key", "revoke", prefix, "--json", database: url).output
                    == "{\"revoked\":true}\n"
            )

            let run = await fgctl("api-key", "list", "--json", database: url)
            #expect(run.json { $0["keys"]?.elements.map { $0["revoked"]?.bool } } == [true])
        }
    }

    @Test func anUnknownBeginningIs1() async throws {
        try await withDatabase { url, _ in
            let run = await fgctl("api-key", "revoke", "sk_", database: url)

            #expect(run.exitCode == 1)
            #expect(run.complaints == ["fgctl: no key begins with 'sk_', or it is revoked already"])
        }
    }
}

@Suite(.needsDatabase, .serialized, .timeLimit(.minutes(2))) struct MigrateCommandTests {
    @Test func theFirstRunDoesEveryStep() async throws {
        try await withEmptyDatabase { url, _ in
            let run = await fgctl("migrate", "--json", database: url)

            #expect(run.exitCode == 0)
            #expect(run.members == ["applied", "schema"])
            let latest = try #require(run.json { $0["schema"]?.int64 })
            let applied = try #require(run.json { $0["applied"]?.elements.compactMap(\.int64) })
            #expect(applied.first == 1)
            #expect(applied.last == latest)
            #expect(applied == Set(applied).sorted())
        }
    }

    @Test func progressIsOneLineAStep() async throws {
        try await withEmptyDatabase { url, _ in
            let run = await fgctl("migrate", "--json", database: url)

            let applied = run.json { $0["applied"]?.count }
            #expect(run.complaints.count == applied)
            #expect(run.complaints.first?.hasPrefix("step 1: ") == true)
        }
    }

    @Test func theSecondRunDoesNothing() async throws {
        try await withDatabase { url, _ in
            let run = await fgctl("migrate", "--json", database: url)

            #expect(run.json { $0["applied"]?.count } == 0)
            #expect(run.complaints.isEmpty)
        }
    }

    @Test func aSchemaFromTheFutureIsLeftAlone() async throws {
        try await withDatabase { url, connection in
            try await connection.execute(
                "INSERT INTO schema_migrations (number, name) VALUES (9999, 'later')"
            )

            let run = await fgctl("migrate", database: url)

            #expect(run.exitCode == 1)
            #expect(run.complaints.first?.contains("use the newer fgctl") == true)
        }
    }
}
