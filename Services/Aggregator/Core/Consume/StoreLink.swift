import Postgres
import ServiceKit

/// A store with its connection, made anew when the connection is lost.
actor StoreLink<Store: Sendable> {
    private let databaseURL: Secret
    private let applicationName: String
    private let make: @Sendable (PostgresConnection) async throws -> Store
    private var store: Store?

    init(
        _ settings: AggregatorSettings,
        name: String,
        make: @escaping @Sendable (PostgresConnection) async throws -> Store
    ) {
        databaseURL = settings.databaseURL
        applicationName = "foreground-aggregator \(name)"
        self.make = make
    }

    func use<Value: Sendable>(_ body: @Sendable (Store) async throws -> Value) async throws -> Value {
        let store = try await connected()
        do {
            return try await body(store)
        } catch let error as PostgresError where error.isUnavailable {
            self.store = nil
            throw error
        }
    }

    private func connected() async throws -> Store {
        if let store { return store }
        let connection = try await PostgresConnection(
            url: databaseURL.reveal(),
            applicationName: applicationName
        )
        let made = try await make(connection)
        store = made
        return made
    }
}
