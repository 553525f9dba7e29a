public import Contracts
public import Postgres
import Schema

/// An app in a test's database.
public struct TestApp: Sendable {
    public let id: UUID128
    public let number: Int32

    public static func make(
        _ connection: PostgresConnection,
        timezone: String = "UTC",
        id: UUID128 = .random()
    ) async throws -> TestApp {
        let number = try await connection.first(
            """
            INSERT INTO apps (app_id, name, timezone, platforms)
            VALUES (\(id)::uuid, 'Test', \(timezone), '{ios}') RETURNING app_no
            """
        ) { try $0.int32(0) }
        return TestApp(id: id, number: number ?? 0)
    }
}
