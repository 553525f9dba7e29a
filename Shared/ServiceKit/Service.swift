/// What every part of a service may need: its name, log, metrics, health and clocks.
///
/// Passed explicitly from `main`; a test makes its own with manual clocks and a captured log.
public struct Service: Sendable {
    public let name: String
    public let logger: Logger
    public let metrics: MetricRegistry
    public let health: HealthCheck
    public let wallClock: any WallClock
    public let monotonicClock: any MonotonicClock

    public init(
        name: String,
        logger: Logger,
        wallClock: any WallClock = SystemWallClock(),
        monotonicClock: any MonotonicClock = SystemMonotonicClock()
    ) {
        self.name = name
        self.logger = logger
        self.metrics = MetricRegistry()
        self.health = HealthCheck()
        self.wallClock = wallClock
        self.monotonicClock = monotonicClock
    }

    public var ops: OpsEndpoints { OpsEndpoints(service: name, health: health, metrics: metrics) }
}
