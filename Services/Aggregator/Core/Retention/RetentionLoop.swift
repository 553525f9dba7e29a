import Kafka
import Postgres
public import ServiceKit

/// Makes the next month's partition and expires what is too old: at start, then once a day.
public final class RetentionLoop: Component {
    public let name = "retention"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let wallClock: any WallClock
    private let clock: any MonotonicClock
    private let repeater: Repeater
    /// After a run that failed or was put off.
    private static let retryMs: Int64 = 600_000

    public init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        wallClock = service.wallClock
        clock = service.monotonicClock
        repeater = Repeater(clock: clock)
    }

    public func stop() { repeater.stop() }

    public func run() async throws {
        await repeater.run {
            let isDone = await expire()
            let pauseMs = Int64(settings.retentionIntervalMs)
            return isDone ? pauseMs : min(pauseMs, Self.retryMs)
        }
    }

    /// Returns whether nothing is left to do before the next day.
    private func expire() async -> Bool {
        let startedMs = clock.nowMs()
        do {
            let nowMs = wallClock.nowMs()
            let report = try await settings.withConnection("retention") { connection in
                try await EventMonths.prepare(nowMs: nowMs, connection)
                let run = RetentionRun(
                    connection: connection,
                    nowMs: nowMs,
                    topicPartitions: KafkaTopics.partitions(brokers: settings.brokers)
                )
                return try await run.run(shouldStop: { self.repeater.shouldStop })
            }
            count(report)
            let isChanging = report.items.contains { !$0.isEmpty }
            if isChanging {
                logger.info(
                    "expired",
                    [
                        .day: report.keptFrom, .rows: report.events.rows, .bytes: report.events.bytes,
                        .count: report.installs.rows + report.users.rows,
                        .durationMs: clock.nowMs() - startedMs,
                    ]
                )
            }
            return !report.isPostponed && !report.isIncomplete
        } catch {
            metrics.housekeeping.retentionFailures.increment()
            throttled.error("retention_failed", [.error: "\(error)"])
            return false
        }
    }

    private func count(_ report: RetentionReport) {
        let own = metrics.housekeeping
        if report.isPostponed { own.retentionPostponed.increment() }
        own.daysFrozen.add(report.closedDays.days)
        own.partitionsDropped.add(report.events.partitions.count)
        own.identitiesPruned.add(report.installs.rows + report.users.rows)
    }
}

/// Partitions of raw events made ahead, so that the first event of a month finds its own.
enum EventMonths {
    /// Makes this month's and the next one's, in UTC.
    static func prepare(nowMs: Int64, _ connection: PostgresConnection) async throws {
        _ = try await connection.rows(
            """
            SELECT ensure_events_partition(date_trunc('month', now, 'UTC') + months * interval '32 days')
            FROM (SELECT \(PostgresTimestamp(ms: nowMs))::timestamptz AS now) n, generate_series(0, 1) months
            ORDER BY months LIMIT 2
            """
        ) { try $0.bool(0) }
    }
}

/// Which partitions a topic has, asked of the brokers.
public enum KafkaTopics {
    public static func partitions(brokers: String) -> RetentionRun.TopicPartitions {
        { topic in
            do {
                return try await Set(
                    KafkaAdmin(settings: ["bootstrap.servers": brokers]).partitions(of: topic)
                )
            } catch let error as KafkaError where error.name.hasSuffix("UNKNOWN_TOPIC_OR_PART") {
                return []
            } catch {
                return nil
            }
        }
    }
}
