import Contracts
import Foundation
import Postgres
import ServiceKit
import TestSupport
import Testing

@testable import IngestCore

/// Keys from a real Postgres, and from the file when there is none.
@Suite(
    .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"),
    .serialized,
    .timeLimit(.minutes(2))
)
struct RegistryLoopTests {
    private static let app = UUID128(high: 1, low: 2)

    /// The registry of a started ingest whose file is `path`.
    private func startedRegistry(_ url: String, file path: String) async throws -> Registry {
        let registry = Registry(clock: SystemMonotonicClock())
        try await loop(registry, url, file: path).start()
        return registry
    }

    private func loop(_ registry: Registry, _ url: String, file path: String) throws -> RegistryLoop {
        var reader = SettingsReader([
            "DATABASE_URL": url, "KAFKA_BROKERS": IngestWorld.nowhere, "INGEST_REGISTRY_PATH": path,
            "INGEST_REGISTRY_POLL_MS": "10000",
        ])
        let settings = IngestSettings(&reader)
        try reader.finish()
        return RegistryLoop(registry, settings: settings, service: Service(name: "test", logger: .silent))
    }

    private func withRegistryFile(
        _ body: (_ url: String, _ connection: PostgresConnection, _ path: String) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withDatabase { url, connection in
            try await connection.execute(
                """
                INSERT INTO apps (app_id, name, timezone, platforms)
                VALUES (\(Self.app.description)::uuid, 'Test', 'UTC', '{ios,web}')
                """
            )
            try await body(url, connection, path)
        }
    }

    private func issue(_ key: String, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO write_keys (key_id, app_id, platform, key)
            VALUES (gen_random_uuid(), \(Self.app.description)::uuid, 'web', \(key))
            """
        )
    }

    private func wait(for key: String, in registry: Registry, until isMet: (Registry.Answer) -> Bool)
        async throws
    {
        while !isMet(registry.find(key)) { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func isKnown(_ answer: Registry.Answer) -> Bool {
        if case .known = answer { true } else { false }
    }

    @Test func startReadsTheKeys() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)

            let registry = try await startedRegistry(url, file: path)

            guard case .known(let key) = registry.find("pk_1") else {
                Issue.record("unknown")
                return
            }
            #expect(key.platform == .web)
            #expect(key.app == RegisteredApp(id: Self.app, platforms: [.ios, .web]))
            #expect(registry.find("pk_2") == .unknown)
        }
    }

    @Test func anArchivedAppIsKnownAsSuch() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)
            try await connection.execute("UPDATE apps SET status = 'archived', archived_at = now()")

            guard case .known(let key) = try await startedRegistry(url, file: path).find("pk_1") else {
                Issue.record("unknown")
                return
            }
            #expect(key.app.isArchived)
        }
    }

    @Test func aRevokedKeyIsUnknown() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)
            try await connection.execute("UPDATE write_keys SET revoked_at = now()")

            #expect(try await startedRegistry(url, file: path).find("pk_1") == .unknown)
        }
    }

    @Test func withoutPostgresTheFileIsUsed() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)
            _ = try await startedRegistry(url, file: path)

            let registry = try await startedRegistry("postgresql://nobody@127.0.0.1:1/none", file: path)

            #expect(isKnown(registry.find("pk_1")))
            #expect(registry.find("pk_2") == .undecided)
        }
    }

    @Test func withoutPostgresAndFileNothingIsDecided() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")
            .path

        let registry = try await startedRegistry("postgresql://nobody@127.0.0.1:1/none", file: path)

        #expect(registry.find("pk_1") == .undecided)
    }

    @Test func aDamagedFileIsReplaced() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)
            try atomicWriteFile(path, Array("{\"format\":1,".utf8), mode: 0o600)

            _ = try await startedRegistry(url, file: path)

            let kept = try #require(RegistryFile.decode(try readFile(path, bytesMax: 1 << 20)))
            #expect(Array(kept.keys.keys) == ["pk_1"])
        }
    }

    /// Numbers of versions are small: another installation's file may well have this one's.
    @Test func theFileOfAnotherDatabaseIsNotBelieved() async throws {
        try await withRegistryFile { url, connection, path in
            try await issue("pk_1", connection)
            let version = try await startedRegistry(url, file: path).version
            let foreign = RegistrySnapshot(version: version, keys: ["pk_foreign": .test()])
            try atomicWriteFile(path, RegistryFile.encode(foreign), mode: 0o600)

            let registry = try await startedRegistry(url, file: path)

            #expect(registry.find("pk_foreign") == .unknown)
            #expect(isKnown(registry.find("pk_1")))
        }
    }

    @Test func changesArriveWhileItRuns() async throws {
        try await withRegistryFile { url, connection, path in
            let registry = Registry(clock: SystemMonotonicClock())
            let loop = try loop(registry, url, file: path)
            try await loop.start()
            let running = Task { try await loop.run() }

            try await issue("pk_1", connection)
            try await wait(for: "pk_1", in: registry) { isKnown($0) }
            try await connection.execute("UPDATE write_keys SET revoked_at = now()")
            try await wait(for: "pk_1", in: registry) { $0 == .unknown }

            loop.stop()
            try await running.value
        }
    }
}
