import AggregatorCore
import Contracts
import Postgres
import Schema
import TestSupport
import Testing

/// When a merge or deletion may begin, and what changes at that moment.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(3)))
struct AppChangeRequestTests {
    private func refusal(_ body: () async throws -> Void) async throws -> AppChangeRefusal? {
        do {
            try await body()
            return nil
        } catch let refusal as AppChangeRefusal {
            return refusal
        }
    }

    private func withApps(
        _ body: (StoreBench, _ source: TestApp, _ third: TestApp) async throws -> Void
    ) async throws {
        try await withStore { bench in
            try await body(
                bench,
                try await TestApp.make(bench.connection),
                try await TestApp.make(bench.connection)
            )
        }
    }

    @Test func appsThatCannotBeMergedAreRefused() async throws {
        try await withApps { bench, source, third in
            let connection = bench.connection
            let merge = { (from: UUID128, into: UUID128) in
                try await refusal { try await AppChanges.beginMerge(of: from, into: into, connection) }
            }
            try await connection.execute("UPDATE apps SET status = 'archived' WHERE app_no = \(third.number)")
            var found: [AppChangeRefusal?] = []
            found.append(try await merge(source.id, source.id))
            found.append(try await merge(.random(), source.id))
            found.append(try await merge(source.id, .random()))
            found.append(try await merge(third.id, source.id))
            found.append(try await merge(source.id, third.id))
            #expect(
                found == [.sameApp, .unknownSource, .unknownTarget, .sourceNotActive, .targetNotActive]
            )
            let statuses = try await connection.texts("SELECT status FROM apps ORDER BY app_no LIMIT 10")
            #expect(statuses == ["active", "active", "archived"])
        }
    }

    @Test func aRunningMergeHasBothAppsToItself() async throws {
        try await withApps { bench, source, third in
            let connection = bench.connection
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, connection)
            var found: [AppChangeRefusal?] = []
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: source.id, into: third.id, connection)
                }
            )
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: bench.app.id, into: third.id, connection)
                }
            )
            found.append(try await refusal { try await AppChanges.beginDeletion(of: source.id, connection) })
            found.append(
                try await refusal { try await AppChanges.beginDeletion(of: bench.app.id, connection) }
            )
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: third.id, into: bench.app.id, connection)
                }
            )
            #expect(found == [.sourceNotActive, .sourceBusy, .busy, .busy, nil])
        }
    }

    @Test(arguments: ["pending", "running"])
    func anOpenErasureOfEitherAppIsWaitedFor(status: String) async throws {
        try await withApps { bench, source, third in
            let connection = bench.connection
            try await connection.execute(
                """
                INSERT INTO deletion_requests (
                    request_id, app_no, subject_type, subject_value, status, source, requested_at, next_attempt_at)
                VALUES (\(UUID128.random())::uuid, \(source.number), 'user', '42', \(status), 'api', now(), now())
                """
            )
            var found: [AppChangeRefusal?] = []
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: source.id, into: third.id, connection)
                }
            )
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: third.id, into: source.id, connection)
                }
            )
            found.append(try await refusal { try await AppChanges.beginDeletion(of: source.id, connection) })
            try await connection.execute("UPDATE deletion_requests SET status = 'done'")
            found.append(
                try await refusal {
                    try await AppChanges.beginMerge(of: source.id, into: third.id, connection)
                }
            )
            #expect(found == [.erasureOpen, .erasureOpen, .erasureOpen, nil])
        }
    }

    /// A batch that has resolved the source already must be stored before the merge begins.
    @Test func aMergeWaitsForTheBatchesThatRun() async throws {
        try await withApps { bench, source, _ in
            try await withConnection(to: bench.url) { gate in
                try await withConnection(to: bench.url) { asking in
                    try await gate.script("BEGIN; LOCK TABLE dirty_days IN EXCLUSIVE MODE")
                    async let stored = bench.store.add([.valid(app: source.id)])
                    while try await bench.connection.number(
                        "SELECT count(*) FROM pg_locks WHERE relation = 'dirty_days'::regclass AND NOT granted"
                    ) == 0 { try await Task.sleep(for: .milliseconds(5)) }
                    let process = try await asking.processID()
                    async let begun: Void = AppChanges.beginMerge(of: source.id, into: bench.app.id, asking)
                    try await bench.connection.waitUntilBlocked(process)
                    try await gate.script("COMMIT")
                    let new = try await stored.new
                    #expect(new == 1)
                    try await begun
                }
            }
            let mine = try await bench.connection.number(
                "SELECT count(*) FROM events WHERE app_no = \(source.number)"
            )
            #expect(mine == 1)
        }
    }

    @Test func fromThenOnMessagesOfTheSourceAreTheTargets() async throws {
        try await withApps { bench, source, third in
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
            try await bench.store.add(.valid(app: source.id))
            let owners = {
                try await bench.connection.texts("SELECT DISTINCT app_no::text FROM events LIMIT 10")
            }
            #expect(try await owners() == ["\(bench.app.number)"])
            // Merged on, the first source's messages follow.
            try await bench.carryOn()
            try await AppChanges.beginMerge(of: bench.app.id, into: third.id, bench.connection)
            try await bench.carryOn()
            try await bench.store.add(.valid(app: source.id))
            #expect(try await owners() == ["\(third.number)"])
        }
    }

    @Test func keysMoveAndMeanWhatTheyMeant() async throws {
        try await withApps { bench, source, third in
            let connection = bench.connection
            try await connection.execute(
                "UPDATE apps SET platforms = '{android,web}' WHERE app_no = \(third.number)"
            )
            for (app, platform, key) in [
                (bench.app, nil, "pk_target"), (source, nil, "pk_any"), (source, "ios", "pk_ios"),
                (third, nil, "pk_third"),
            ] as [(TestApp, String?, String)] {
                try await connection.execute(
                    """
                    INSERT INTO write_keys (key_id, app_id, platform, key)
                    VALUES (gen_random_uuid(), \(app.id)::uuid, \(platform), \(key))
                    """
                )
            }
            let keys: SQL = """
                SELECT concat_ws(' ', k.key, k.platform, array_to_string(a.platforms, ',')) FROM write_keys k JOIN apps a USING (app_id)
                ORDER BY k.key LIMIT 10
                """
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, connection)
            // One platform still: nothing about the target's key is in doubt.
            let same = try await connection.texts(keys)
            #expect(
                same == ["pk_any ios ios", "pk_ios ios ios", "pk_target ios", "pk_third android,web"]
            )
            try await bench.carryOn()
            try await AppChanges.beginMerge(of: third.id, into: bench.app.id, connection)
            let joined = try await connection.texts(keys)
            #expect(
                joined == [
                    "pk_any ios ios,android,web", "pk_ios ios ios,android,web",
                    "pk_target ios ios,android,web",
                    "pk_third ios,android,web",
                ]
            )
        }
    }

    @Test func secretKeysOfTheSourceAreRevokedAndNoOthers() async throws {
        try await withApps { bench, source, _ in
            for app in [source.id, bench.app.id, nil] as [UUID128?] {
                try await bench.connection.execute(
                    """
                    INSERT INTO api_keys (key_id, key_hash, prefix, scopes, app_id)
                    VALUES (gen_random_uuid(), gen_random_uuid()::text::bytea, 'sk_', '{read}', \(app)::uuid)
                    """
                )
            }
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, bench.connection)
            let revoked = try await bench.connection.texts(
                "SELECT app_id::text FROM api_keys WHERE revoked_at IS NOT NULL LIMIT 10"
            )
            #expect(revoked == [source.id.description])
        }
    }

    @Test func ledgersMoveAtOnceAndTheTargetsEntryWins() async throws {
        try await withApps { bench, source, _ in
            let connection = bench.connection
            guard try await connection.number("SELECT count(to_regclass('suppressions'))") == 0 else {
                return
            }
            try await connection.script(
                "CREATE TABLE suppressions (app_no integer, subject text, UNIQUE (app_no, subject))"
            )
            for (app, subject) in [(source, "a"), (source, "b"), (bench.app, "a")] {
                try await connection.execute("INSERT INTO suppressions VALUES (\(app.number), \(subject))")
            }
            try await AppChanges.beginMerge(of: source.id, into: bench.app.id, connection)
            let rows = try await connection.texts(
                "SELECT (app_no = \(bench.app.number))::text || subject FROM suppressions ORDER BY 1 LIMIT 10"
            )
            #expect(rows == ["truea", "trueb"])
        }
    }
}
