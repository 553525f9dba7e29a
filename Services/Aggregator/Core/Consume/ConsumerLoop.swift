import Contracts
import JSON
import Kafka
public import ServiceKit
import Synchronization

/// Reads the events topic and stores it, one transaction per poll, for as long as the service runs.
///
/// Where to read from is decided by the offsets in Postgres, which move in the transaction that stores the events; those committed to
/// Kafka only feed lag tools. While Postgres is away the batch is kept and tried again, the partitions are paused and the group is told
/// that we live: nothing is skipped and nothing piles up.
public final class ConsumerLoop: Component {
    public let name = "consumer"
    private let settings: AggregatorSettings
    private let metrics: AggregatorMetrics
    private let logger: Logger
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let postgresReady: ReadinessCondition
    private let isStopping = Atomic(false)
    /// Short, so that a stop is noticed soon.
    private static let waitMs = 200

    public init(settings: AggregatorSettings, metrics: AggregatorMetrics, service: Service) {
        self.settings = settings
        self.metrics = metrics
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        clock = service.monotonicClock
        postgresReady = service.health.condition("postgres")
    }

    public func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    public func run() async throws {
        let link = StoreLink(settings: settings)
        await reach(link)
        while !shouldStop {
            let consumer = try KafkaConsumer(settings: settings.consumerSettings)
            try await consumer.subscribe([settings.topic])
            var session = ConsumerSession(topic: settings.topic)
            do {
                while !shouldStop { try await step(consumer, link, &session) }
            } catch let error as KafkaError where error.isFatal {
                logger.error("consumer_lost", [.error: error.description])
            }
            await consumer.close()
        }
    }

    private var shouldStop: Bool { isStopping.load(ordering: .relaxed) }

    /// Says early whether Postgres is there: a service that starts without it should not look healthy.
    private func reach(_ link: StoreLink) async {
        await persist("postgres_unavailable", while: {}) { _ = try await link.use { try await $0.offsets() } }
    }

    private func step(
        _ consumer: KafkaConsumer,
        _ link: StoreLink,
        _ session: inout ConsumerSession
    ) async throws {
        let events = try await consumer.poll(
            messagesMax: settings.pollMessagesMax,
            bytesMax: settings.pollBytesMax,
            waitMs: Self.waitMs
        )
        for event in events {
            switch event {
            case .assigned(let partitions): try await take(partitions, consumer, link, &session)
            case .revoked(let partitions):
                session.assignment.drop(partitions.map(\.partition))
                try await consumer.unassign()
                logger.info("partitions_revoked", [.count: partitions.count])
            case .messages(let messages): try await store(messages, consumer, link, &session)
            case .error(let error):
                if error.isFatal { throw error }
                throttled.warn("kafka_error", [.error: error.description])
            }
        }
    }

    /// Starts each partition where the database says it is stored up to.
    private func take(
        _ partitions: [KafkaTopicPartition],
        _ consumer: KafkaConsumer,
        _ link: StoreLink,
        _ session: inout ConsumerSession
    ) async throws {
        var stored: [Int32: Int64]?
        await persist("postgres_unavailable", while: { try? await consumer.keepAlive() }) {
            stored = try await link.use { try await $0.offsets() }
        }
        guard let stored else { return }
        session.assignment.take(partitions.map(\.partition), stored: stored)
        let assignment = session.assignment
        try await consumer.assign(
            assignment.partitions.map {
                (KafkaTopicPartition(topic: settings.topic, partition: $0), assignment.start(of: $0))
            }
        )
        logger.info("partitions_assigned", [.count: partitions.count])
    }

    private func store(
        _ messages: [KafkaMessage],
        _ consumer: KafkaConsumer,
        _ link: StoreLink,
        _ session: inout ConsumerSession
    ) async throws {
        let held = session.assignment.held(messages)
        guard !held.isEmpty else { return }
        for partition in session.assignment.movedBack(held) {
            logger.warn("offset_moved_back", [.topic: settings.topic, .partition: Int(partition)])
        }
        let progress = session.assignment.progress(over: held)
        let decoded = held.map { MessageDecoding.decode($0, with: session.parser) }
        let startedNs = clock.nowNs()
        var outcome: StoreOutcome?
        var isFenced = false
        await persist("store_failed", while: { try? await consumer.keepAlive() }) {
            do {
                outcome = try await link.use { try await $0.store(decoded, progress: progress) }
            } catch is Fenced {
                isFenced = true
            }
        }
        if isFenced {
            metrics.fenced.increment()
            logger.warn("fenced", [.count: held.count])
            try await take(session.topicPartitions, consumer, link, &session)
        } else if let outcome {
            session.assignment.move(progress)
            count(outcome, seconds: Double(clock.nowNs() - startedNs) / 1e9)
            try await consumer.commit(
                progress.map {
                    (KafkaTopicPartition(topic: settings.topic, partition: $0.partition), $0.next)
                }
            )
        }
    }

    private func count(_ outcome: StoreOutcome, seconds: Double) {
        metrics.batches.increment()
        metrics.events.add(outcome.events)
        metrics.newEvents.add(outcome.new)
        metrics.suppressed.add(outcome.suppressed)
        metrics.storeSeconds.observe(seconds)
        for reason in outcome.setAside {
            metrics.setAside[reason].increment()
            throttled.warn("message_set_aside", [.reason: reason.rawValue])
        }
    }

    /// Tries until it works or the service stops.
    ///
    /// Nothing here counts as poison: messages were decoded before, so whatever fails is the database's trouble.
    private func persist(
        _ event: LogEvent,
        while keepAlive: () async -> Void,
        _ body: () async throws -> Void
    ) async {
        var backoff = Backoff(firstMs: 100, ceilingMs: 5_000)
        while !shouldStop {
            do {
                try await body()
                postgresReady.set(.ready)
                return
            } catch {
                metrics.failures.increment()
                postgresReady.set(.notReady("\(error)"))
                let waitMs = backoff.nextMs()
                throttled.error(event, [.error: "\(error)", .retryMs: waitMs])
                await keepAlive()
                try? await Task.sleep(for: .milliseconds(waitMs))
            }
        }
    }
}

/// What one life of the consumer holds.
private struct ConsumerSession {
    let topic: String
    let parser = JSONParser()
    var assignment = Assignment()

    var topicPartitions: [KafkaTopicPartition] {
        assignment.partitions.map { KafkaTopicPartition(topic: topic, partition: $0) }
    }
}
