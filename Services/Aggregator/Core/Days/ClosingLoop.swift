import Postgres
public import ServiceKit
import Synchronization

/// Closes the waiting days: at start, at a fixed pause, and in between as long as that costs little.
///
/// After a run that took so long the next one in between waits at least nine times as long, so that closing takes under a tenth of a core
/// however many events come; the runs at the fixed pause take place in any case.
public final class ClosingLoop: Component {
    public let name = "closing"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let isStopping = Atomic(false)
    private static let stopCheckMs = 100
    private static let restPerWork: Int64 = 9
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
        await findMovedDays()
        var dueMs = clock.nowMs()
        var refreshMs = dueMs
        while !shouldStop {
            let startedMs = clock.nowMs()
            if startedMs >= min(dueMs, refreshMs) {
                guard await finishes({ await self.closeAll() }) else { return }
                let endedMs = clock.nowMs()
                let restMs = Self.restPerWork * (endedMs - startedMs)
                if startedMs >= dueMs { dueMs = endedMs + Int64(settings.closeIntervalMs) }
                refreshMs = endedMs + max(Int64(settings.refreshIntervalMs), restMs)
            }
            try? await Task.sleep(for: .milliseconds(min(Self.stopCheckMs, settings.closeIntervalMs)))
        }
    }

    /// Once at start: the machine's tzdata does not change under a running process.
    private func findMovedDays() async {
        do {
            let moved = try await withConnection { try await MovedDays.mark($0) }
            if moved > 0 { logger.info("days_moved", [.count: moved]) }
        } catch {
            throttled.error("days_not_compared", [.error: "\(error)"])
        }
    }

    private func withConnection<Value>(_ body: (PostgresConnection) async throws -> Value) async throws
        -> Value
    {
        let connection = try await PostgresConnection(
            url: settings.databaseURL.reveal(),
            applicationName: "foreground-aggregator closing"
        )
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
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
            let summary = try await withConnection { connection in
                let summary = try await ClosingRun(closer: DayCloser(connection: connection))
                    .run(shouldStop: { self.shouldStop })
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
