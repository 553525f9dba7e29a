import Kafka
import ServiceKit

/// Stores one batch, again and again for a while if it must be.
///
/// Nothing here counts as poison: messages were decoded before, so whatever fails is the database's trouble.
struct StoreAttempt {
    enum Outcome {
        case stored
        /// Another instance has moved a partition on.
        case fenced
        /// The service stops.
        case stopped
        /// The time is over; the error is the last one.
        case refused(any Error)
    }

    let sink: any TopicSink
    let consumer: KafkaConsumer
    let report: StoreReport
    let clock: any MonotonicClock
    let shouldStop: @Sendable () -> Bool
    /// How long a batch is kept in hand while the database refuses it, before it is read again later.
    private static let holdMs: Int64 = 5_000

    init(
        sink: any TopicSink,
        consumer: KafkaConsumer,
        report: StoreReport,
        clock: any MonotonicClock,
        shouldStop: @escaping @Sendable () -> Bool
    ) {
        (self.sink, self.consumer, self.report) = (sink, consumer, report)
        (self.clock, self.shouldStop) = (clock, shouldStop)
    }

    func run(_ messages: [KafkaMessage], _ progress: [PartitionProgress]) async -> Outcome {
        var backoff = Backoff(firstMs: 100, ceilingMs: 2_000)
        let endMs = clock.nowMs() + Self.holdMs
        while !shouldStop() {
            do {
                try await sink.store(messages, progress: progress)
                report.worked()
                return .stored
            } catch is Fenced {
                return .fenced
            } catch {
                let waitMs = backoff.nextMs()
                report.failed("store_failed", error, attempt: backoff.attempt, retryMs: waitMs)
                guard clock.nowMs() + Int64(waitMs) < endMs else { return .refused(error) }
                try? await consumer.keepAlive()
                try? await Task.sleep(for: .milliseconds(waitMs))
            }
        }
        return .stopped
    }
}
