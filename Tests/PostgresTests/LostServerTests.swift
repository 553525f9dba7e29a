import Testing

@testable import Postgres

/// Servers that go away at the worst moment.
@Suite struct LostServerTests {
    /// - Parameter waitMs: how long the connection waits for an answer; short only where none comes, for a busy
    ///   machine answers late.
    private func connect(to server: FakeServer, waitMs: Int = 60_000) async throws -> PostgresConnection {
        var settings = ConnectSettings(
            url: server.url,
            applicationName: "tests",
            timeoutSeconds: 30,
            statementTimeoutMs: waitMs / 2
        )
        settings.answerGraceMs = waitMs / 2
        return try await PostgresConnection(settings)
    }

    @Test func silenceWhileConnectingIsUnavailable() async throws {
        let server = try FakeServer(replies: [], then: .silence)
        let error = try await postgresError {
            try await PostgresConnection(url: server.url, applicationName: "tests", connectTimeoutSeconds: 1)
        }
        #expect(error.isUnavailable)
        #expect(error.message == "no answer from the server within 1000 ms")
    }

    @Test func silenceLongAfterTheStatementsLimitIsALostConnection() async throws {
        let server = try FakeServer(replies: [FakeServer.loggedIn, FakeServer.done("SET")], then: .silence)
        let connection = try await connect(to: server, waitMs: 2_000)
        let error = try await postgresError { try await connection.execute("SELECT 1") }
        #expect(error.sqlState == "08006")
        #expect(error.message == "no answer from the server within 2000 ms")
        #expect(await !connection.isOpen)
    }

    @Test func aLineThatBreaksDuringCommitLeavesTheOutcomeUnknown() async throws {
        let replies = [FakeServer.loggedIn, FakeServer.done("SET"), FakeServer.done("BEGIN", status: "T")]
        let connection = try await connect(to: try FakeServer(replies: replies, then: .hangUp))
        let error = try await postgresError { try await connection.transaction { _ in } }
        #expect(error.isUnavailable)
        #expect(error.atCommit)
        #expect(await !connection.isOpen)
    }

    @Test func aCommitThatTheServerTurnsIntoARollbackIsAnError() async throws {
        let replies = [
            FakeServer.loggedIn, FakeServer.done("SET"), FakeServer.done("BEGIN", status: "T"),
            FakeServer.done("ROLLBACK"),
        ]
        let connection = try await connect(to: try FakeServer(replies: replies, then: .silence))
        let error = try await postgresError { try await connection.transaction { _ in } }
        #expect(error.sqlState == "25P02")
        #expect(error.atCommit)
    }
}
