import Testing

@testable import Postgres

/// Servers that go away at the worst moment.
@Suite struct LostServerTests {
    private func connect(to server: FakeServer) async throws -> PostgresConnection {
        var settings = ConnectSettings(
            url: server.url,
            applicationName: "tests",
            timeoutSeconds: 30,
            statementTimeoutMs: 10
        )
        settings.answerGraceMs = 10
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
        let connection = try await connect(to: server)
        let error = try await postgresError { try await connection.execute("SELECT 1") }
        #expect(error.sqlState == "08006")
        #expect(error.message == "no answer from the server within 20 ms")
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
