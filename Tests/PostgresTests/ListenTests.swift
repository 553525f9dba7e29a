import Foundation
import Postgres
import Testing

@Suite(.serialized, .needsDatabase) struct ListenTests {
    /// A channel of the test's own, in a spelling that needs its quotes.
    private let channel = "Ch \"1\" " + UUID().uuidString

    @Test func notificationsArriveInOrder() async throws {
        let listener = try await openConnection()
        try await listener.listen(channel)
        let sender = try await openConnection()
        let senderID = try await sender.processID()
        try await sender.execute("SELECT pg_notify(\(channel), 'größe')")
        try await sender.execute("SELECT pg_notify(\(channel), '')")

        let first = try await listener.waitForNotification(ms: 10_000)
        let second = try await listener.waitForNotification(ms: 10_000)

        let process = Int32(senderID)
        #expect(first == PostgresNotification(channel: channel, payload: "größe", serverProcess: process))
        #expect(second == PostgresNotification(channel: channel, payload: "", serverProcess: process))
    }

    @Test func notificationsThatCameDuringAStatementAreKept() async throws {
        let listener = try await openConnection()
        try await listener.listen(channel)
        try await openConnection().execute("SELECT pg_notify(\(channel), 'early')")
        try await listener.execute("SELECT 1")
        #expect(try await listener.waitForNotification(ms: 10_000)?.payload == "early")
    }

    @Test func nothingIsNil() async throws {
        let listener = try await openConnection()
        try await listener.listen(channel)
        #expect(try await listener.waitForNotification(ms: 0) == nil)
        #expect(try await listener.waitForNotification(ms: 10) == nil)
    }

    @Test func aLostConnectionThrows() async throws {
        let listener = try await openConnection()
        try await listener.listen(channel)
        let id = try await listener.processID()
        try await openConnection().terminate(id)
        let error = try await postgresError { _ = try await listener.waitForNotification(ms: 10_000) }
        #expect(error.isUnavailable)
        #expect(await !listener.isOpen)
    }
}
