import Postgres
import ServiceKit

/// Sweeps at start and then every ten minutes.
final class ExpirySweepLoop: Component {
    let name = "expiry-sweep"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let throttled: LogThrottle
    private let service: Service
    private let repeater: Repeater
    private static let intervalMs: Int64 = 600_000

    init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        (self.settings, self.metrics, self.service) = (settings, metrics, service)
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        repeater = Repeater(clock: service.monotonicClock)
    }

    func stop() { repeater.stop() }

    func run() async throws {
        await repeater.run {
            await sweep()
            return Self.intervalMs
        }
    }

    /// A failure leaves the rest for the next time.
    private func sweep() async {
        let nowMs = service.wallClock.nowMs()
        do {
            let summary = try await settings.withConnection("sweep") { connection in
                try await ExpirySweep(connection: connection).run(
                    rejectionsBeforeMs: nowMs - Int64(settings.consumption.rejectionsKeptMs),
                    setAsideBeforeMs: nowMs - Int64(settings.consumption.setAsideKeptMs),
                    shouldStop: { self.repeater.shouldStop }
                )
            }
            metrics.expired.with("rejections").add(summary.rejections)
            metrics.expired.with("set_aside_messages").add(summary.setAside)
        } catch {
            throttled.error("sweep_failed", [.error: "\(error)"])
        }
    }
}
