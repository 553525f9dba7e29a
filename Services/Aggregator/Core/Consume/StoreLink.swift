import Postgres
import ServiceKit

/// The store with its connection, made anew when the connection is lost.
actor StoreLink {
    private let settings: AggregatorSettings
    private var store: EventStore?

    init(settings: AggregatorSettings) {
        self.settings = settings
    }

    func use<Value: Sendable>(_ body: @Sendable (EventStore) async throws -> Value) async throws -> Value {
        let store = try await connected()
        do {
            return try await body(store)
        } catch let error as PostgresError where error.isUnavailable {
            self.store = nil
            throw error
        }
    }

    private func connected() async throws -> EventStore {
        if let store { return store }
        let connection = try await PostgresConnection(
            url: settings.databaseURL.reveal(),
            applicationName: "foreground-aggregator store"
        )
        let hasher = SubjectHasher(key: settings.erasure.hashKey)
        try await ErasureKey.check(hasher, connection)
        let made = try await EventStore(
            connection: connection,
            topic: settings.topic,
            suppression: SuppressionFilter(hasher)
        )
        store = made
        return made
    }
}
