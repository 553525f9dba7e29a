public import ServiceKit

/// What the aggregator counts of erasures.
public struct ErasureMetrics: Sendable {
    let done: Counter
    let attemptsFailed: Counter
    let failed: Counter
    let events: Counter
    let noticesFailed: Counter
    let open: Gauge

    public init(_ registry: MetricRegistry) {
        done = registry.counter(
            "foreground_aggregator_erasures_done_total",
            help: "Deletion requests that were fulfilled."
        )
        attemptsFailed = registry.counter(
            "foreground_aggregator_erasure_attempts_failed_total",
            help: "Attempts at a deletion request that failed, the last ones included."
        )
        failed = registry.counter(
            "foreground_aggregator_erasures_failed_total",
            help: "Deletion requests that were given up after their last attempt: somebody has to look."
        )
        events = registry.counter(
            "foreground_aggregator_erased_events_total",
            help: "Stored events that were erased."
        )
        noticesFailed = registry.counter(
            "foreground_aggregator_owner_notices_failed_total",
            help: "Messages to the owner that could not be sent."
        )
        open = registry.gauge(
            "foreground_aggregator_erasures_open",
            help: "Deletion requests that are pending or running, at the last look."
        )
    }

    func count(_ pass: ErasurePass) {
        done.add(pass.done)
        attemptsFailed.add(pass.attemptsFailed)
        failed.add(pass.failed)
        events.add(pass.events)
    }
}
