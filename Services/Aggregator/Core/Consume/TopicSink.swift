import Contracts
import JSON
import Kafka
import ServiceKit

/// Where the messages of one topic go: it decodes, stores and counts them.
protocol TopicSink: Sendable {
    /// The stored position of each partition; one never stored is absent.
    func offsets() async throws -> [Int32: Int64]

    /// Stores messages and moves the offsets, or does neither; without messages it only moves.
    ///
    /// - Throws: `Fenced` when another instance has moved a partition; anything else is the database's trouble, never the messages'.
    func store(_ messages: [KafkaMessage], progress: [PartitionProgress]) async throws
}

/// Stores the events topic.
actor EventSink: TopicSink {
    private let link: StoreLink<EventStore>
    private let metrics: AggregatorMetrics
    private let throttled: LogThrottle
    private let clock: any MonotonicClock
    private let parser = JSONParser()

    init(settings: AggregatorSettings, metrics: AggregatorMetrics, throttled: LogThrottle, service: Service) {
        link = StoreLink(settings, name: "store") { connection in
            try await EventStore.withLedger(
                connection,
                topic: settings.topic,
                limits: settings.limits,
                hashKey: settings.erasure.hashKey
            )
        }
        self.metrics = metrics
        self.throttled = throttled
        clock = service.monotonicClock
    }

    func offsets() async throws -> [Int32: Int64] { try await link.use { try await $0.offsets() } }

    func store(_ messages: [KafkaMessage], progress: [PartitionProgress]) async throws {
        let decoded = messages.map { MessageDecoding.decode($0, with: parser) }
        let startedNs = clock.nowNs()
        let outcome = try await link.use { try await $0.store(decoded, progress: progress) }
        guard !messages.isEmpty else { return }
        metrics.batches.increment()
        metrics.events.add(outcome.events)
        metrics.newEvents.add(outcome.new)
        metrics.expiredEvents.add(outcome.expired)
        metrics.suppressed.add(outcome.suppressed)
        metrics.storeSeconds.observe(Double(clock.nowNs() - startedNs) / 1e9)
        metrics.note(setAside: outcome.setAside, throttled)
        for (app, count) in outcome.contextsCut.sorted(by: { $0.key < $1.key }) {
            metrics.contextsCut.add(count)
            throttled.warn("too_many_contexts", [.app: app.description, .count: count])
        }
    }
}

/// Stores the rejections topic.
actor RejectionSink: TopicSink {
    private let link: StoreLink<RejectionStore>
    private let keptMs: Int64
    private let metrics: AggregatorMetrics
    private let throttled: LogThrottle
    private let clock: any WallClock
    private let parser = JSONParser()

    init(settings: AggregatorSettings, metrics: AggregatorMetrics, throttled: LogThrottle, service: Service) {
        link = StoreLink(settings, name: "rejections") { connection in
            try await RejectionStore(connection: connection, topic: settings.consumption.rejectionsTopic)
        }
        keptMs = Int64(settings.consumption.rejectionsKeptMs)
        self.metrics = metrics
        self.throttled = throttled
        clock = service.wallClock
    }

    func offsets() async throws -> [Int32: Int64] { try await link.use { try await $0.offsets() } }

    func store(_ messages: [KafkaMessage], progress: [PartitionProgress]) async throws {
        let decoded = messages.map { RejectionDecoding.decode($0, with: parser) }
        let oldestMs = clock.nowMs() - keptMs
        let outcome = try await link.use {
            try await $0.store(decoded, progress: progress, oldestMs: oldestMs)
        }
        metrics.rejections.add(outcome.new)
        metrics.note(setAside: outcome.setAside, throttled)
    }
}

extension AggregatorMetrics {
    fileprivate func note(setAside reasons: [SetAsideReason], _ throttled: LogThrottle) {
        for reason in reasons {
            setAside[reason].increment()
            throttled.warn("message_set_aside", [.reason: reason.rawValue])
        }
    }
}
