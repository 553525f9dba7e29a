import Contracts
public import ServiceKit

/// What ingest counts; labels are the codes of the contract.
public struct IngestMetrics: Sendable {
    let batchesAccepted: Counter
    let batchesRefused: EnumFamily<IngestErrorCode, Counter>
    let eventsAccepted: Counter
    let eventsRejected: EnumFamily<RejectionCode, Counter>
    let eventsWarned: EnumFamily<WarningCode, Counter>
    let bytes: Counter
    let answerSeconds: Histogram

    public init(_ registry: MetricRegistry) {
        batchesAccepted = registry.counter(
            "foreground_ingest_batches_accepted_total",
            help: "Batches answered 200."
        )
        batchesRefused = registry.counters(
            "foreground_ingest_batches_refused_total",
            help: "Batches refused as a whole, by error code.",
            label: "code",
            of: IngestErrorCode.self
        )
        eventsAccepted = registry.counter(
            "foreground_ingest_events_accepted_total",
            help: "Events of batches answered 200, copies within a batch included."
        )
        eventsRejected = registry.counters(
            "foreground_ingest_events_rejected_total",
            help: "Events rejected, by code.",
            label: "code",
            of: RejectionCode.self
        )
        eventsWarned = registry.counters(
            "foreground_ingest_warnings_total",
            help: "Warnings given, by code.",
            label: "code",
            of: WarningCode.self
        )
        bytes = registry.counter(
            "foreground_ingest_body_bytes_total",
            help: "Bytes of request bodies as received."
        )
        answerSeconds = registry.histogram(
            "foreground_ingest_answer_seconds",
            help: "From the whole body to the answer, for batches that were published.",
            bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
        )
    }

    func count(_ verdict: BatchVerdict, seconds: Double) {
        batchesAccepted.increment()
        eventsAccepted.add(verdict.acceptedCount)
        answerSeconds.observe(seconds)
        for rejection in verdict.rejected { eventsRejected[rejection.code].increment() }
        for warning in verdict.warnings { eventsWarned[warning.code].increment() }
    }
}
