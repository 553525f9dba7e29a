public import ServiceKit

/// What the aggregator counts.
public struct AggregatorMetrics: Sendable {
    let events: Counter
    let newEvents: Counter
    let expiredEvents: Counter
    let housekeeping: HousekeepingMetrics
    let suppressed: Counter
    let setAside: EnumFamily<SetAsideReason, Counter>
    let contextsCut: Counter
    let batches: Counter
    let failures: Counter
    let conflicts: Counter
    let fenced: Counter
    let lost: MetricFamily<Counter>
    let rejections: Counter
    let lagFailures: Counter
    let expired: MetricFamily<Counter>
    let storeSeconds: Histogram
    let daysClosed: Counter
    let daysUnchanged: Counter
    let closingFailures: Counter

    public init(_ registry: MetricRegistry) {
        events = registry.counter(
            "foreground_aggregator_events_total",
            help: "Events read from the topic, repeats included."
        )
        newEvents = registry.counter(
            "foreground_aggregator_new_events_total",
            help: "Events stored for the first time."
        )
        expiredEvents = registry.counter(
            "foreground_aggregator_expired_events_total",
            help: "Events read that are older than what is kept: not stored."
        )
        housekeeping = HousekeepingMetrics(registry)
        suppressed = registry.counter(
            "foreground_aggregator_suppressed_total",
            help: "Events read from the topic and not stored, because their person was erased."
        )
        setAside = registry.counters(
            "foreground_aggregator_set_aside_total",
            help: "Messages that could not be used.",
            label: "reason",
            of: SetAsideReason.self
        )
        contextsCut = registry.counter(
            "foreground_aggregator_contexts_cut_total",
            help:
                "New contexts stored without their free text, because their app had brought too many that day."
        )
        batches = registry.counter(
            "foreground_aggregator_batches_total",
            help: "Transactions that stored a batch."
        )
        failures = registry.counter(
            "foreground_aggregator_store_failures_total",
            help: "Attempts to store a batch that failed and were repeated."
        )
        conflicts = registry.counter(
            "foreground_aggregator_store_conflicts_total",
            help:
                "Transactions that gave way to another one and were repeated; some are normal with several instances."
        )
        lost = registry.counterFamily(
            "foreground_aggregator_messages_lost_total",
            help: "Messages that the broker deleted before they were stored.",
            labels: [.open("topic")]
        )
        rejections = registry.counter(
            "foreground_aggregator_rejections_total",
            help: "Rejected events and refused batches stored for the first time."
        )
        lagFailures = registry.counter(
            "foreground_aggregator_lag_failures_total",
            help: "Attempts to read the lag that failed; the figures shown are older then."
        )
        expired = registry.counterFamily(
            "foreground_aggregator_rows_expired_total",
            help: "Rejections and set-aside messages deleted because of their age.",
            labels: [.closed("table", ["rejections", "set_aside_messages"])]
        )
        fenced = registry.counter(
            "foreground_aggregator_fenced_total",
            help: "Batches given up because another instance had stored them."
        )
        storeSeconds = registry.histogram(
            "foreground_aggregator_store_seconds",
            help: "Time to store one batch.",
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        )
        daysClosed = registry.counter(
            "foreground_aggregator_days_closed_total",
            help: "Day revisions written."
        )
        daysUnchanged = registry.counter(
            "foreground_aggregator_days_unchanged_total",
            help: "Days rebuilt whose block came out the same."
        )
        closingFailures = registry.counter(
            "foreground_aggregator_closing_failures_total",
            help: "Closing runs that ended early."
        )
    }
}
