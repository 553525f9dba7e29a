import Postgres
import ServiceKit

extension AggregatorSettings {
    /// A connection for as long as `body` works: parts that run now and then keep none.
    ///
    /// - Parameter name: what Postgres shows it as.
    func withConnection<Value>(
        _ name: String,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await PostgresConnection(
            url: databaseURL.reveal(),
            applicationName: "foreground-aggregator \(name)"
        )
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
