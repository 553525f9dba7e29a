public import ServiceKit

/// The parts of the aggregator, in the order they depend on each other; what `main` runs and tests can too.
public func aggregatorComponents(
    _ settings: AggregatorSettings,
    _ service: Service
) throws -> [any Component] {
    let metrics = AggregatorMetrics(service.metrics)
    return [
        HTTPComponent.ops(settings.ops, service),
        ConsumerLoop(settings: settings, metrics: metrics, service: service),
        ClosingLoop(settings: settings, metrics: metrics, service: service),
        ErasureLoop(settings: settings, metrics: ErasureMetrics(service.metrics), service: service),
    ]
}
