import ServiceKit

/// What expiry and changes of whole apps count.
struct HousekeepingMetrics: Sendable {
    let daysFrozen: Counter
    let partitionsDropped: Counter
    let identitiesPruned: Counter
    let retentionFailures: Counter
    let retentionPostponed: Counter
    let eventsMoved: Counter
    let appChangesDone: Counter
    let appChangeFailures: Counter

    init(_ registry: MetricRegistry) {
        daysFrozen = registry.counter(
            "foreground_aggregator_days_frozen_total",
            help: "Days whose block was replaced by counts because they have expired."
        )
        partitionsDropped = registry.counter(
            "foreground_aggregator_partitions_dropped_total",
            help: "Months of raw events dropped."
        )
        identitiesPruned = registry.counter(
            "foreground_aggregator_identities_pruned_total",
            help: "Installs and users removed after their last activity has expired."
        )
        retentionFailures = registry.counter(
            "foreground_aggregator_retention_failures_total",
            help: "Expiry runs that ended early."
        )
        retentionPostponed = registry.counter(
            "foreground_aggregator_retention_postponed_total",
            help: "Expiry runs put off, because apps are being merged or another instance is at it."
        )
        eventsMoved = registry.counter(
            "foreground_aggregator_merge_events_moved_total",
            help: "Events moved from one app to another."
        )
        appChangesDone = registry.counter(
            "foreground_aggregator_app_changes_done_total",
            help: "Merges and deletions of apps that were completed."
        )
        appChangeFailures = registry.counter(
            "foreground_aggregator_app_change_failures_total",
            help: "Attempts to go on with a merge or deletion of an app that failed and will be repeated."
        )
    }
}
