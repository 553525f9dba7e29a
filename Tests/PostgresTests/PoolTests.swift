import Foundation
import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct PoolTests {
    private func pool(connectionsMax: Int, waitMsMax: Int = 30_000) throws -> PostgresPool {
        PostgresPool(
            url: try #require(testDatabaseURL),
            applicationName: "pool-tests",
            connectionsMax: connectionsMax,
            waitMsMax: waitMsMax
        )
    }

    @Test func neverMoreConnectionsThanAllowed() async throws {
        let pool = try pool(connectionsMax: 3)
        let processes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask { try await pool.withConnection { try await $0.processID() } }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(processes.count >= 1 && processes.count <= 3)
    }

    @Test func connectionsAreUsedAgain() async throws {
        let pool = try pool(connectionsMax: 3)
        let first = try await pool.withConnection { try await $0.processID() }
        let second = try await pool.withConnection { try await $0.processID() }
        #expect(first == second)
    }

    @Test func waitingTooLongIsUnavailable() async throws {
        let pool = try pool(connectionsMax: 1, waitMsMax: 10)
        let error = try await pool.withConnection { _ in
            try await postgresError { try await pool.withConnection { _ in } }
        }
        #expect(error.isUnavailable)
        #expect(error.message == "no connection was free within 10 ms")
    }

    @Test func aCancelledWaiterLeavesTheLine() async throws {
        let pool = try pool(connectionsMax: 1)
        try await pool.withConnection { _ in
            let waiter = Task { try await pool.withConnection { _ in } }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        #expect(try await pool.withConnection { try await $0.execute("SELECT 1") } == 1)
    }

    @Test func errorsOfTheBodyComeBackAndTheConnectionStays() async throws {
        let pool = try pool(connectionsMax: 1)
        let first = try await pool.withConnection { try await $0.processID() }
        await #expect(throws: Stop.self) { try await pool.withConnection { _ in throw Stop() } }
        #expect(try await pool.withConnection { try await $0.processID() } == first)
    }

    @Test func aConnectionTerminatedWhileIdleIsReplacedUnnoticed() async throws {
        let pool = try pool(connectionsMax: 1)
        let id = try await pool.withConnection { try await $0.processID() }
        try await openConnection().terminate(id)
        let next = try await pool.withConnection { try await $0.processID() }
        #expect(next != id)
    }

    @Test func aConnectionTerminatedInUseIsReplaced() async throws {
        let pool = try pool(connectionsMax: 1)
        let other = try await openConnection()
        let error = try await postgresError {
            try await pool.withConnection { connection in
                try await other.terminate(try await connection.processID())
                try await connection.execute("SELECT 1")
            }
        }
        #expect(error.isUnavailable)
        #expect(try await pool.withConnection { try await $0.execute("SELECT 1") } == 1)
    }

    @Test func anOpenTransactionIsNotHandedOn() async throws {
        let pool = try pool(connectionsMax: 1)
        let id = try await pool.withConnection { connection in
            try await connection.script("BEGIN")
            return try await connection.processID()
        }
        #expect(try await pool.withConnection { try await $0.processID() } != id)
    }

    @Test func aClosedPoolRefuses() async throws {
        let pool = try pool(connectionsMax: 1)
        try await pool.withConnection { _ in pool.close() }
        let error = try await postgresError { try await pool.withConnection { _ in } }
        #expect(error.isUnavailable)
        #expect(error.message == "the pool is closed")
    }
}

/// These need no server.
@Suite struct PoolWithoutServerTests {
    @Test func refusedConnectionsAreUnavailable() async throws {
        let pool = PostgresPool(url: "postgres://127.0.0.1:1/x", applicationName: "tests", connectionsMax: 2)
        let errors = try await withThrowingTaskGroup(of: PostgresError.self) { group in
            for _ in 0..<20 {
                group.addTask { try await postgresError { try await pool.withConnection { _ in } } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 20)
        #expect(errors.filter(\.isUnavailable).count == 20)
    }
}
