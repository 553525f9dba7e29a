import Postgres
import ServiceKit
import Synchronization

/// Sweeps at start and then every ten minutes.
final class ExpirySweepLoop: Component {
    let name = "expiry-sweep"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let throttled: LogThrottle
    private let service: Service
    private let isStopping = Atomic(false)
    private static let intervalMs: Int64 = 600_000
    private static let stopCheckMs = 100

    init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        (self.settings, self.metrics, self.service) = (settings, metrics, service)
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
    }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    func run() async throws {
        let clock = service.monotonicClock
        var nextMs = clock.nowMs()
        while !shouldStop {
            if clock.nowMs() >= nextMs {
                await sweep()
                nextMs = clock.nowMs() + Self.intervalMs
            }
            try? await Task.sleep(for: .milliseconds(Self.stopCheckMs))
        }
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// A failure leaves the rest for the next time.
    private func sweep() async {
        let nowMs = service.wallClock.nowMs()
        do {
            let connection = try await PostgresConnection(
                url: settings.databaseURL.reveal(),
                applicationName: "foreground-aggregator sweep"
            )
            let summary = try await ExpirySweep(connection: connection).run(
                rejectionsBeforeMs: nowMs - Int64(settings.consumption.rejectionsKeptMs),
                setAsideBeforeMs: nowMs - Int64(settings.consumption.setAsideKeptMs),
                shouldStop: { self.shouldStop }
            )
            await connection.close()
            metrics.expired.with("rejections").add(summary.rejections)
            metrics.expired.with("set_aside_messages").add(summary.setAside)
        } catch {
            throttled.error("sweep_failed", [.error: "\(error)"])
        }
    }
}
