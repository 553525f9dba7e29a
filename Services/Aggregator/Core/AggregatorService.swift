public import ServiceKit

/// The parts of the aggregator, in the order they depend on each other; what `main` runs and tests can too.
public func aggregatorComponents(
    _ settings: AggregatorSettings,
    _ service: Service
) throws -> [any Component] {
    let metrics = AggregatorMetrics(service.metrics)
    // One for both topics: what ails the database ails both, and one line is enough.
    let throttled = LogThrottle(service.logger, intervalMs: 10_000)
    return [
        HTTPComponent.ops(settings.ops, service),
        consumer(of: .events, settings, metrics, throttled, service),
        consumer(of: .rejections, settings, metrics, throttled, service),
        ClosingLoop(settings: settings, metrics: metrics, service: service),
        LagMonitor(settings: settings, metrics: metrics, service: service),
        ExpirySweepLoop(settings: settings, metrics: metrics, service: service),
        RetentionLoop(settings: settings, metrics: metrics, service: service),
        AppChangesLoop(settings: settings, metrics: metrics, service: service),
        ErasureLoop(settings: settings, metrics: ErasureMetrics(service.metrics), service: service),
    ]
}

private enum TopicKind { case events, rejections }

/// Each topic has a client, a group and a connection of its own: trouble with rejections must not hold events up.
private func consumer(
    of kind: TopicKind,
    _ settings: AggregatorSettings,
    _ metrics: AggregatorMetrics,
    _ throttled: LogThrottle,
    _ service: Service
) -> ConsumerLoop {
    let name: String
    let sink: any TopicSink
    switch kind {
    case .events:
        name = settings.topic
        sink = EventSink(settings: settings, metrics: metrics, throttled: throttled, service: service)
    case .rejections:
        name = settings.consumption.rejectionsTopic
        sink = RejectionSink(settings: settings, metrics: metrics, throttled: throttled, service: service)
    }
    let topic = ConsumedTopic(
        component: kind == .events ? "consumer" : "rejections-consumer",
        name: name,
        consumerSettings: settings.consumerSettings(groupSuffix: kind == .events ? "" : ".rejections"),
        pollMessagesMax: settings.pollMessagesMax,
        pollBytesMax: settings.pollBytesMax,
        sink: sink
    )
    // Rejections are for looking at: without them the service does all its work.
    let ready = kind == .events ? service.health.condition("postgres") : nil
    let report = StoreReport(topic: name, metrics: metrics, throttled: throttled, ready: ready)
    _ = metrics.lost.with(name)
    return ConsumerLoop(topic, report, service)
}
