import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Runs a probe, and stops it whatever happens.
private func withProbe(
    url: String,
    _ body: (_ state: () -> HealthCheck.State?, _ log: LogCapture) async throws -> Void
) async throws {
    let log = LogCapture()
    let service = Service(name: "reader", logger: log.logger())
    let probe = DatabaseProbe(
        PostgresPool(url: url, applicationName: "probe-tests", connectionsMax: 1),
        service
    )
    let running = Task { try await probe.run() }
    let outcome: Result<Void, any Error>
    do {
        try await body({ service.health.report().conditions.first { $0.name == "postgres" }?.state }, log)
        outcome = .success(())
    } catch {
        outcome = .failure(error)
    }
    probe.stop()
    try await running.value
    try outcome.get()
}

/// Waits for a state that comes; the suite's time limit ends a wait for nothing.
private func wait(
    for state: () -> HealthCheck.State?,
    until isExpected: (HealthCheck.State?) -> Bool
) async throws -> HealthCheck.State? {
    while !isExpected(state()) { try await Task.sleep(for: .milliseconds(10)) }
    return state()
}

private let unreported = HealthCheck.State.notReady("not reported yet")

@Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"))
struct DatabaseProbeTests {
    @Test func newestSchemaIsReady() async throws {
        try await withDatabase { url, _ in
            try await withProbe(url: TestSupport.url(url, actingAs: "foreground_reader")) { state, log in
                #expect(try await wait(for: state) { $0 != unreported } == .ready)
                while log.lines.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                #expect(log.lines.count == 1)
                #expect(log.lines.first?.contains("postgres_ready") == true)
            }
        }
    }

    @Test func newerSchemaIsReady() async throws {
        try await withDatabase { url, connection in
            try await connection.execute(
                "INSERT INTO schema_migrations (number, name) VALUES (\(Schema.latest + 1), 'later')"
            )
            try await withProbe(url: url) { state, _ in
                let reported = try await wait(for: state) { $0 != unreported }
                #expect(reported == .ready)
            }
        }
    }

    @Test func olderSchemaSaysWhatToDo() async throws {
        try await withDatabase { url, connection in
            try await connection.execute("DELETE FROM schema_migrations WHERE number = \(Schema.latest)")
            try await withProbe(url: url) { state, _ in
                let before = Schema.migrations.map(\.number).dropLast().last ?? 0
                let reason = "the schema is at step \(before), this version needs \(Schema.latest)"
                let reported = try await wait(for: state) { $0 != unreported }
                #expect(reported == .notReady(reason + ": run fgctl migrate"))
            }
        }
    }

    @Test func databaseThatWasNeverMigratedSaysWhatToDo() async throws {
        try await withEmptyDatabase { url, _ in
            try await withProbe(url: url) { state, _ in
                let reason = "the schema is at step 0, this version needs \(Schema.latest): run fgctl migrate"
                let reported = try await wait(for: state) { $0 != unreported }
                #expect(reported == .notReady(reason))
            }
        }
    }

    @Test func becomesReadyOnceItIsMigrated() async throws {
        try await withEmptyDatabase { url, connection in
            try await withProbe(url: url) { state, log in
                #expect(try await wait(for: state) { $0 != unreported } != .ready)
                _ = try await Migrator.migrate(connection)
                #expect(try await wait(for: state) { $0 == .ready } == .ready)
                while log.lines.last?.contains("postgres_ready") != true {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(log.lines.first?.contains("postgres_unavailable") == true)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct UnreachableProbeTests {
    @Test func serverThatIsAwayIsNotReadyAndLoggedOnce() async throws {
        try await withProbe(url: unreachableDatabaseURL) { state, log in
            let reported = try await wait(for: state) { $0 != unreported }
            guard case .notReady(let reason) = reported else {
                Issue.record("ready")
                return
            }
            #expect(reason.contains("08"))
            #expect(!reason.contains("secret"))
            while log.lines.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(log.lines.count == 1)
            #expect(log.lines.first?.contains("postgres_unavailable") == true)
        }
    }

    @Test func probeThatIsStoppedBeforeItRunsReturns() async throws {
        let service = Service(name: "reader", logger: LogCapture().logger())
        let probe = DatabaseProbe(
            PostgresPool(url: unreachableDatabaseURL, applicationName: "probe-tests", connectionsMax: 1),
            service
        )
        probe.stop()
        try await probe.run()
        #expect(service.health.report().conditions.first?.state == unreported)
    }
}
