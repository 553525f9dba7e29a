import Contracts
import Kafka
public import ServiceKit
import Synchronization

/// Publishes the messages of a batch and tells once what became of all of them.
///
/// A producer that has failed for good (a broker that lost its state breaks idempotence) is replaced; what it still held is failed by it,
/// so its batches get 503 and come again.
public final class EventPublisher: Component {
    public let name = "kafka-producer"
    private let settings: IngestSettings
    private let logger: Logger
    private let throttled: LogThrottle
    private let producer: Mutex<KafkaProducer>
    private let done: AsyncStream<Void>
    private let finish: AsyncStream<Void>.Continuation
    private static let flushMs = 5_000

    public init(settings: IngestSettings, service: Service) throws {
        self.settings = settings
        logger = service.logger
        throttled = LogThrottle(service.logger, intervalMs: 10_000)
        producer = Mutex(try Self.makeProducer(settings, throttled))
        (done, finish) = AsyncStream<Void>.makeStream()
    }

    /// Says that the broker cannot be reached when that happens, and not only when the first batch has waited in vain.
    private static func makeProducer(
        _ settings: IngestSettings,
        _ log: LogThrottle
    ) throws(KafkaError) -> KafkaProducer {
        try KafkaProducer(settings: settings.producerSettings) { level, facility, message in
            guard level <= warningLevel else { return }
            log.warn("kafka_error", [.error: "\(facility): \(message)"])
        }
    }

    /// As syslog counts; what is above it is chatter.
    private static let warningLevel = 4

    /// Finds the topic before the server takes requests; without a broker the service starts all the same.
    public func start() async throws {
        do throws(KafkaError) {
            try await producer.withLock { $0 }.locate(settings.topic, waitMs: Self.locateMs)
        } catch {
            throttled.warn("topic_not_located", [.topic: settings.topic, .error: error.description])
        }
    }

    private static let locateMs = 2_000

    public func run() async throws {
        for await _ in done {}
        await producer.withLock { $0 }.close(flushMs: Self.flushMs)
    }

    public func stop() {
        finish.finish()
    }

    public var queuedMessages: Int { producer.withLock { $0 }.queuedMessages }

    /// Calls `completion` exactly once: true when the broker has every message.
    ///
    /// It may run before this returns, on the caller's thread, or later on the producer's.
    ///
    /// - Parameter topic: the events topic when nil.
    func publish(
        _ messages: [OutgoingMessage],
        to topic: String? = nil,
        completion: @escaping @Sendable (_ isConfirmed: Bool) -> Void
    ) {
        let tally = DeliveryTally(messages.count, completion)
        let producer = producer.withLock { $0 }
        // One closure for the whole batch: a batch may be five hundred messages.
        let finishOne: @Sendable (KafkaError?) -> Void = { [self] error in
            if let error { note(error, of: producer) }
            tally.finishOne(isConfirmed: error == nil)
        }
        for message in messages {
            do throws(KafkaError) {
                try producer.produce(
                    message.payload,
                    key: message.key,
                    headers: Self.headers,
                    to: topic ?? settings.topic,
                    completion: finishOne
                )
            } catch {
                finishOne(error)
            }
        }
    }

    /// Both topics are at version 1 of their messages.
    private static let headers = [
        KafkaHeader(name: EventMessage.schemaHeader, value: Array("\(EventMessage.schemaVersion)".utf8))
    ]

    private func note(_ error: KafkaError, of failed: KafkaProducer) {
        throttled.warn("publish_failed", [.error: error.description])
        guard error.isFatal || failed.fatalError != nil else { return }
        let isReplaced = producer.withLock { current in
            guard current === failed, let fresh = try? Self.makeProducer(settings, throttled) else {
                return false
            }
            current = fresh
            return true
        }
        guard isReplaced else { return }
        logger.error("producer_replaced", [.error: error.description])
        Task { await failed.close(flushMs: 0) }
    }
}

/// Waits for the delivery reports of one batch.
private final class DeliveryTally: Sendable {
    private struct State {
        var remaining: Int
        var isConfirmed = true
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Bool) -> Void

    init(_ count: Int, _ completion: @escaping @Sendable (Bool) -> Void) {
        state = Mutex(State(remaining: count))
        self.completion = completion
    }

    func finishOne(isConfirmed: Bool) {
        let outcome: Bool? = state.withLock { state in
            state.remaining -= 1
            state.isConfirmed = state.isConfirmed && isConfirmed
            return state.remaining == 0 ? state.isConfirmed : nil
        }
        if let outcome { completion(outcome) }
    }
}
