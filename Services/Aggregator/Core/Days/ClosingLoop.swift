import Postgres
import Schema
public import ServiceKit
import Synchronization

/// Closes the waiting days: at start, and then after pauses that are short as long as that costs little.
///
/// After a run the next one waits nine times as long as it took, so that closing takes under a tenth of a core however many events come,
/// but never longer than the pause that is promised.
public final class ClosingLoop: Component {
    public let name = "closing"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let repeater: Repeater
    private static let stopCheckMs = 100
    private static let restPerWork: Int64 = 9
    private static let stopGraceMs = 3_000

    public init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        clock = service.monotonicClock
        repeater = Repeater(clock: clock)
    }

    public func stop() { repeater.stop() }

    public func run() async throws {
        await findMovedDays()
        await repeater.run {
            let startedMs = clock.nowMs()
            guard await finishes({ await self.closeAll() }) else { return 0 }
            let restMs = Self.restPerWork * (clock.nowMs() - startedMs)
            return min(Int64(settings.closeIntervalMs), max(Int64(settings.refreshIntervalMs), restMs))
        }
    }

    /// Once at start: the machine's tzdata does not change under a running process.
    private func findMovedDays() async {
        do {
            let moved = try await settings.withConnection("closing") { try await MovedDays.mark($0) }
            if moved > 0 { logger.info("days_moved", [.count: moved]) }
        } catch {
            throttled.error("days_not_compared", [.error: "\(error)"])
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
            if repeater.shouldStop { graceMs -= Self.stopCheckMs }
            guard graceMs > 0 else { return false }
            try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
        }
        return true
    }

    /// A failure leaves the days as they were; the next run takes them up.
    private func closeAll() async {
        let startedMs = clock.nowMs()
        do {
            let summary = try await settings.withConnection("closing") { connection in
                let summary = try await ClosingRun(closer: DayCloser(connection: connection))
                    .run(shouldStop: { self.repeater.shouldStop })
                for app in try await ZoneChanges.finishAll(connection) {
                    logger.info("zone_changed", [.app: Int(app)])
                }
                _ = try await connection.rows("SELECT forget_identity_changes() LIMIT 1") { try $0.int64(0) }
                return summary
            }
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
