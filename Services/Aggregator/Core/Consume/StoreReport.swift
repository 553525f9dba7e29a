import Postgres
import ServiceKit

/// Says of attempts to store what operators should know: metrics, a line in the log, and whether this instance is ready.
struct StoreReport: Sendable {
    let topic: String
    let metrics: AggregatorMetrics
    let throttled: LogThrottle
    /// Nil for a topic without which the service still does its work.
    let ready: ReadinessCondition?
    /// A transaction that loses so often in a row is no accident any more.
    private static let conflictsMax = 10

    init(
        topic: String,
        metrics: AggregatorMetrics,
        throttled: LogThrottle,
        ready: ReadinessCondition?
    ) {
        (self.topic, self.metrics, self.throttled, self.ready) = (topic, metrics, throttled, ready)
    }

    func worked() { ready?.set(.ready) }

    /// - Parameter attempt: counts from 1.
    func failed(_ event: LogEvent, _ error: any Error, attempt: Int, retryMs: Int) {
        guard !Self.isConflict(error) || attempt > Self.conflictsMax else {
            metrics.conflicts.increment()
            throttled.warn("store_conflict", [.topic: topic, .error: "\(error)", .retryMs: retryMs])
            return
        }
        metrics.failures.increment()
        ready?.set(.notReady("\(error)"))
        throttled.error(event, [.topic: topic, .error: "\(error)", .retryMs: retryMs])
    }

    /// The database chose this transaction to give way to another; it says nothing about the database's health.
    static func isConflict(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return error.sqlState == "40001" || error.sqlState == "40P01"
    }
}
