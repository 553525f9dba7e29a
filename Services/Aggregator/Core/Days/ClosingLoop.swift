import Postgres
public import ServiceKit
import Synchronization

/// Closes the waiting days at start and then at a fixed pause.
public final class ClosingLoop: Component {
    public let name = "closing"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let isStopping = Atomic(false)
    private static let stopCheckMs = 100
    private static let stopGraceMs = 3_000

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
                guard await finishes({ await self.closeAll() }) else { return }
                nextMs = clock.nowMs() + Int64(settings.closeIntervalMs)
            }
            try? await Task.sleep(for: .milliseconds(min(Self.stopCheckMs, settings.closeIntervalMs)))
        }
    }

    /// Waits for the work; false when it goes on for a while after a stop.
    ///
    /// A day is closed in one transaction: one that is left behind with the process is as if it had not begun, and what the service
    /// must still finish is not kept waiting for a long statement.
    private func finishes(_ work: @escaping @Sendable () async -> Void) async -> Bool {
        let isDone = Flag()
        Task {
            await work()
            isDone.raise()
        }
        var graceMs = Self.stopGraceMs
        while !isDone.isUp {
            if shouldStop { graceMs -= Self.stopCheckMs }
            guard graceMs > 0 else { return false }
            try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
        }
        return true
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// A failure leaves the days as they were; the next run takes them up.
    private func closeAll() async {
        let startedMs = clock.nowMs()
        do {
            let connection = try await PostgresConnection(
                url: settings.databaseURL.reveal(),
                applicationName: "foreground-aggregator closing"
            )
            let summary = try await ClosingRun(closer: DayCloser(connection: connection))
                .run(shouldStop: { self.shouldStop })
            await connection.close()
            metrics.daysClosed.add(summary.closed)
            metrics.daysUnchanged.add(summary.unchanged)
            if summary.closed > 0 {
                logger.info("days_closed", [.count: summary.closed, .durationMs: clock.nowMs() - startedMs])
            }
        } catch {
            metrics.closingFailures.increment()
            throttled.error("closing_failed", [.error: "\(error)"])
        }
    }
}

private final class Flag: Sendable {
    private let raised = Atomic(false)
    var isUp: Bool { raised.load(ordering: .acquiring) }
    func raise() { raised.store(true, ordering: .releasing) }
}
