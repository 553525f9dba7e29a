import Postgres
public import ServiceKit
import Synchronization

/// Carries out merges and deletions of apps that somebody began.
public final class AppChangesLoop: Component {
    public let name = "app_changes"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let isStopping = Atomic(false)
    private static let stopCheckMs = 200

    public init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        clock = service.monotonicClock
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    public func run() async throws {
        var nextMs = clock.nowMs()
        while !shouldStop {
            if clock.nowMs() >= nextMs {
                await carryOn()
                nextMs = clock.nowMs() + Int64(settings.appChangesIntervalMs)
            }
            try? await Task.sleep(for: .milliseconds(min(Self.stopCheckMs, settings.appChangesIntervalMs)))
        }
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// A failure leaves the change begun; the next look goes on where this one ended.
    private func carryOn() async {
        let own = metrics.housekeeping
        do {
            let url = settings.databaseURL.reveal()
            let settings = settings
            let connection = try await PostgresConnection(
                url: url,
                applicationName: "foreground-aggregator app changes"
            )
            let run = AppChangesRun(connection: connection) {
                let own = try await PostgresConnection(
                    url: url,
                    applicationName: "foreground-aggregator merge"
                )
                return try await EventStore.withLedger(
                    own,
                    topic: settings.topic,
                    limits: settings.limits,
                    hashKey: settings.erasure.hashKey
                )
            }
            let summary = try await run.run(shouldStop: { self.shouldStop })
            await connection.close()
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
