import Kafka
import ServiceKit
import Synchronization

/// Reads one topic and stores it, one transaction per poll, for as long as the service runs.
///
/// Where to read from is decided by the offsets in Postgres, which move in the transaction that stores the messages; those committed to
/// Kafka only feed lag tools. While Postgres is away nothing is skipped and nothing piles up.
final class ConsumerLoop: Component {
    var name: String { topic.component }
    private let topic: ConsumedTopic
    private let report: StoreReport
    private let logger: Logger
    private let clock: any MonotonicClock
    private let isStopping = Atomic(false)
    private static let stopCheckMs = 100

    init(_ topic: ConsumedTopic, _ report: StoreReport, _ service: Service) {
        self.topic = topic
        self.report = report
        logger = service.logger
        clock = service.monotonicClock
    }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    func run() async throws {
        await reachDatabase()
        while !shouldStop {
            let consumer = try KafkaConsumer(settings: topic.consumerSettings)
            try await consumer.subscribe([topic.name])
            var session = ConsumerSession(
                topic: topic,
                consumer: consumer,
                report: report,
                logger: logger,
                clock: clock,
                shouldStop: { self.shouldStop }
            )
            do {
                while !shouldStop { try await session.step() }
            } catch let error as KafkaError where error.isFatal {
                logger.error("consumer_lost", [.topic: topic.name, .error: error.description])
            }
            await consumer.close()
        }
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// A service that starts without Postgres should not look healthy, nor take partitions from those that could store them.
    private func reachDatabase() async {
        var backoff = Backoff(firstMs: 100, ceilingMs: 5_000)
        while !shouldStop {
            do {
                _ = try await topic.sink.offsets()
                return report.worked()
            } catch {
                let waitMs = backoff.nextMs()
                report.failed("postgres_unavailable", error, attempt: backoff.attempt, retryMs: waitMs)
                let endMs = clock.nowMs() + Int64(waitMs)
                while clock.nowMs() < endMs, !shouldStop {
                    try? await Task.sleep(for: .milliseconds(min(waitMs, Self.stopCheckMs)))
                }
            }
        }
    }
}
