import Postgres
import ServiceKit
import Synchronization

/// Keeps the lag of both topics as metrics.
///
/// Every instance shows every partition, its own and others': a partition that nobody holds is the one to hear of. Take the maximum by
/// partition over the instances. When it cannot be read the last figures stay, and ages go on growing.
final class LagMonitor: Component {
    let name = "lag"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let throttled: LogThrottle
    private let service: Service
    private let latest: LagSnapshot
    private let repeater: Repeater

    init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        (self.settings, self.metrics, self.service) = (settings, metrics, service)
        throttled = LogThrottle(service.logger, intervalMs: 60_000)
        repeater = Repeater(clock: service.monotonicClock)
        latest = LagSnapshot(service.metrics, clock: service.wallClock)
    }

    func stop() { repeater.stop() }

    func run() async throws {
        let reader = try LagReader(brokers: settings.brokers)
        let link = StoreLink(settings, name: "lag") { $0 }
        await repeater.run {
            await look(reader, link)
            return Int64(settings.consumption.lagIntervalMs)
        }
        await reader.close()
    }

    private func look(_ reader: LagReader, _ link: StoreLink<PostgresConnection>) async {
        for topic in settings.measuredTopics {
            do {
                let stored = try await link.use { connection in
                    try await connection.perform { try ConsumerOffsets.stored(of: topic.name, $0) }
                }
                latest.set(try await reader.read(topic, stored: stored), of: topic.name)
            } catch {
                metrics.lagFailures.increment()
                throttled.warn("lag_unknown", [.topic: topic.name, .error: "\(error)"])
            }
        }
    }
}

extension AggregatorSettings {
    var measuredTopics: [MeasuredTopic] {
        [
            MeasuredTopic(name: topic, retentionMs: Int64(consumption.eventsRetentionMs)),
            MeasuredTopic(
                name: consumption.rejectionsTopic,
                retentionMs: Int64(consumption.rejectionsRetentionMs)
            ),
        ]
    }
}

/// The last figures, as the metrics read them.
private final class LagSnapshot: Sendable {
    private let byTopic = Mutex<[String: [PartitionLag]]>([:])
    private let clock: any WallClock

    init(_ registry: MetricRegistry, clock: any WallClock) {
        self.clock = clock
        family(registry, "lag_messages", "Messages of a partition that are not stored yet.") { lag, _ in
            Double(lag.messages)
        }
        family(registry, "lag_seconds", "Age of the oldest message of a partition that is not stored yet.") {
            $0.ageSeconds(nowMs: $1)
        }
        family(
            registry,
            "retention_margin_seconds",
            "Time until the broker deletes a message that is not stored, by age; infinite without lag."
        ) { $0.marginSeconds(nowMs: $1) }
    }

    func set(_ lags: [PartitionLag], of topic: String) {
        byTopic.withLock { $0[topic] = lags }
    }

    private func family(
        _ registry: MetricRegistry,
        _ name: String,
        _ help: String,
        value: @escaping @Sendable (PartitionLag, _ nowMs: Int64) -> Double?
    ) {
        registry.gaugeFamily(
            "foreground_aggregator_\(name)",
            help: help,
            labels: ["topic", "partition"],
            seriesMax: 20_000
        ) { [self] in
            let nowMs = clock.nowMs()
            return byTopic.withLock { $0 }.values.joined().compactMap { lag in
                value(lag, nowMs).map { MetricSample([lag.topic, "\(lag.partition)"], $0) }
            }
        }
    }
}
