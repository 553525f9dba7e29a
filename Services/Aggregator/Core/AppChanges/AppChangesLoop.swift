import Postgres
public import ServiceKit

/// Carries out merges and deletions of apps that somebody began.
public final class AppChangesLoop: Component {
    public let name = "app_changes"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let repeater: Repeater

    public init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        repeater = Repeater(clock: service.monotonicClock)
    }

    public func stop() { repeater.stop() }

    public func run() async throws {
        await repeater.run {
            await carryOn()
            return Int64(settings.appChangesIntervalMs)
        }
    }

    /// A failure leaves the change begun; the next look goes on where this one ended.
    private func carryOn() async {
        let own = metrics.housekeeping
        do {
            let (settings, repeater) = (settings, repeater)
            let summary = try await settings.withConnection("app changes") { connection in
                let run = AppChangesRun(connection: connection) {
                    // Not the one of the run, which holds the lock of housekeeping.
                    let own = try await PostgresConnection(
                        url: settings.databaseURL.reveal(),
                        applicationName: "foreground-aggregator merge"
                    )
                    return try await EventStore.withLedger(
                        own,
                        topic: settings.topic,
                        limits: settings.limits,
                        hashKey: settings.erasure.hashKey
                    )
                }
                return try await run.run(shouldStop: { repeater.shouldStop })
            }
            own.eventsMoved.add(summary.eventsMoved)
            own.appChangesDone.add(summary.done)
            own.appChangeFailures.add(summary.failed)
            if summary.done > 0 { logger.info("app_changes_done", [.count: summary.done]) }
            if summary.failed > 0 { throttled.error("app_change_failed", [.count: summary.failed]) }
        } catch {
            own.appChangeFailures.increment()
            throttled.error("app_changes_failed", [.error: "\(error)"])
        }
    }
}
