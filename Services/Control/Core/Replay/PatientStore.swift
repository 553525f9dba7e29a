import AggregatorCore
import Postgres
import ServiceKit

/// Stores messages beside running aggregators: without offsets, and again when the database lost or refused the transaction for a moment.
actor PatientStore {
    private let context: CommandContext
    private let topic: String
    private var store: EventStore?
    private static let patienceSeconds = 60

    init(context: CommandContext, topic: String) {
        (self.context, self.topic) = (context, topic)
    }

    func store(_ messages: [DecodedMessage]) async throws -> StoreOutcome {
        var backoff = Backoff(firstMs: 100, ceilingMs: 5_000)
        let end = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while true {
            do {
                return try await connected().store(messages, progress: [])
            } catch let error as PostgresError
                where (error.isRetryable || error.isUnavailable) && ContinuousClock.now < end
            {
                if error.isUnavailable { store = nil }
                let waitMs = backoff.nextMs()
                context.progress("the database cannot take it now (\(error)): trying again")
                try await Task.sleep(for: .milliseconds(waitMs))
            }
        }
    }

    private func connected() async throws -> EventStore {
        if let store { return store }
        let made = try await context.eventStore(topic: topic)
        store = made
        return made
    }
}
