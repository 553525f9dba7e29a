import Kafka
import Postgres
import ServiceKit

/// One membership in the group: which partitions it holds, and how far each is stored.
struct ConsumerSession {
    let topic: ConsumedTopic
    let consumer: KafkaConsumer
    let report: StoreReport
    let logger: Logger
    let clock: any MonotonicClock
    let shouldStop: @Sendable () -> Bool
    private var assignment = Assignment()
    /// What is to be done when the events at hand are answered: a rebalance among them must not wait for the database.
    private var next = Next.nothing
    /// The database answers and yet refuses the batch.
    private var isRefused = false
    /// Short, so that a stop is noticed soon.
    private static let waitMs = 200
    private static let watermarksMs = 2_000

    init(
        topic: ConsumedTopic,
        consumer: KafkaConsumer,
        report: StoreReport,
        logger: Logger,
        clock: any MonotonicClock,
        shouldStop: @escaping @Sendable () -> Bool
    ) {
        (self.topic, self.consumer, self.report) = (topic, consumer, report)
        (self.logger, self.clock, self.shouldStop) = (logger, clock, shouldStop)
    }

    private enum Next { case nothing, begin, standBy }

    mutating func step() async throws {
        for event in try await poll() {
            switch event {
            case .assigned(let partitions):
                assignment.own(partitions.map(\.partition))
                try await begin()
                logger.info("partitions_assigned", [.topic: topic.name, .count: partitions.count])
            case .messages(let messages): try await take(messages)
            case .revoked, .error: try await answer(event)
            }
        }
        defer { next = .nothing }
        switch next {
        case .nothing: break
        case .begin: try await begin()
        case .standBy: try await standBy()
        }
    }

    private func poll() async throws -> [KafkaConsumerEvent] {
        try await consumer.poll(
            messagesMax: topic.pollMessagesMax,
            bytesMax: topic.pollBytesMax,
            waitMs: Self.waitMs
        )
    }

    private mutating func answer(_ event: KafkaConsumerEvent) async throws {
        switch event {
        case .revoked(let partitions):
            assignment.drop(partitions.map(\.partition))
            isRefused = false
            try await consumer.unassign()
            logger.info("partitions_revoked", [.topic: topic.name, .count: partitions.count])
        case .error(let error):
            if error.isFatal { throw error }
            report.throttled.warn("kafka_error", [.topic: topic.name, .error: error.description])
        case .assigned, .messages: break
        }
    }

    // MARK: Where to begin

    /// Starts every partition held where the database says it is stored up to.
    private mutating func begin() async throws {
        if let stored = await storedOffsets(attempt: 1, retryMs: 0) {
            try await start(at: stored)
        } else {
            try await standBy()
        }
    }

    /// Holds the partitions without reading until the database answers.
    ///
    /// The group is answered meanwhile: a member that kept quiet would hold up everybody's rebalance, and others may well reach a
    /// database that this one does not.
    private mutating func standBy() async throws {
        guard !assignment.partitions.isEmpty else { return }
        logger.warn("standing_by", [.topic: topic.name, .count: assignment.partitions.count])
        try await consumer.assign([])
        var backoff = Backoff(firstMs: 200, ceilingMs: 5_000)
        var nextMs = clock.nowMs()
        while !shouldStop(), !assignment.partitions.isEmpty {
            if clock.nowMs() >= nextMs {
                let waitMs = backoff.nextMs()
                if let stored = await storedOffsets(attempt: backoff.attempt, retryMs: waitMs) {
                    return try await start(at: stored)
                }
                nextMs = clock.nowMs() + Int64(waitMs)
            }
            for event in try await poll() {
                // Messages left over from before are dropped: they are read again from what is stored.
                if case .assigned(let partitions) = event {
                    assignment.own(partitions.map(\.partition))
                    try await consumer.assign([])
                } else {
                    try await answer(event)
                }
            }
        }
    }

    private func storedOffsets(attempt: Int, retryMs: Int) async -> [Int32: Int64]? {
        do {
            let stored = try await topic.sink.offsets()
            if !isRefused { report.worked() }
            return stored
        } catch {
            report.failed("postgres_unavailable", error, attempt: attempt, retryMs: retryMs)
            return nil
        }
    }

    private mutating func start(at stored: [Int32: Int64]) async throws {
        assignment.take(assignment.partitions, stored: stored)
        let logs = await logs()
        await skipWhatExpired(logs)
        try await consumer.assign(
            assignment.partitions.map { partition in
                let place = KafkaTopicPartition(topic: topic.name, partition: partition)
                // A topic that was made anew ends before what is stored of the old one. Not every broker calls that out of range.
                if let log = logs[partition], let position = assignment.position(of: partition),
                    position > log.high
                {
                    return (place, .at(log.low))
                }
                return (place, assignment.start(of: partition))
            }
        )
    }

    /// What the broker has of the partitions held that were stored before; less when it does not answer in time.
    private func logs() async -> [Int32: (low: Int64, high: Int64)] {
        var logs: [Int32: (low: Int64, high: Int64)] = [:]
        for partition in assignment.partitions where assignment.position(of: partition) != nil {
            guard let log = await log(of: partition) else { break }
            logs[partition] = log
        }
        return logs
    }

    private func log(of partition: Int32) async -> (low: Int64, high: Int64)? {
        let place = KafkaTopicPartition(topic: topic.name, partition: partition)
        return try? await consumer.watermarks(of: place, requestMs: Self.watermarksMs)
    }

    /// Moves partitions whose next message has expired to what is left, and says how much is missing.
    ///
    /// Where the broker has not said what it has, the gap shows in the first message's offset.
    private mutating func skipWhatExpired(_ logs: [Int32: (low: Int64, high: Int64)]) async {
        for (partition, log) in logs.sorted(by: { $0.key < $1.key }) {
            guard let position = assignment.position(of: partition), log.low > position else { continue }
            let progress = [PartitionProgress(partition: partition, expected: position, next: log.low)]
            do {
                try await topic.sink.store([], progress: progress)
                assignment.move(progress)
                note(OffsetGap(partition: partition, from: position, to: log.low))
            } catch {
                // Somebody else has moved it, or the database is gone again: whichever it is, the next batch finds out.
            }
        }
    }

    private func note(_ gap: OffsetGap) {
        report.metrics.lost.with(topic.name).add(Int(clamping: gap.count))
        logger.error(
            "offsets_lost",
            [
                .topic: topic.name, .partition: gap.partition, .offset: gap.from, .count: gap.count,
            ]
        )
    }

    // MARK: Storing

    private var attempt: StoreAttempt {
        StoreAttempt(
            sink: topic.sink,
            consumer: consumer,
            report: report,
            clock: clock,
            shouldStop: shouldStop
        )
    }

    private mutating func take(_ messages: [KafkaMessage]) async throws {
        let held = assignment.held(messages)
        guard !held.isEmpty else { return }
        for partition in assignment.movedBack(held) {
            logger.warn("offset_moved_back", [.topic: topic.name, .partition: partition])
        }
        var lost: [OffsetGap] = []
        for gap in assignment.gaps(before: held) {
            // The broker itself uses offsets up now and then; only what lies before the log's start is gone.
            if let log = await log(of: gap.partition), log.low > gap.from { lost.append(gap) }
        }
        let progress = assignment.progress(over: held)
        switch await attempt.run(held, progress) {
        case .stored:
            isRefused = false
            assignment.move(progress)
            for gap in lost { note(gap) }
            try await consumer.commit(
                progress.map {
                    (KafkaTopicPartition(topic: topic.name, partition: $0.partition), $0.next)
                }
            )
        case .fenced:
            report.metrics.fenced.increment()
            logger.warn("fenced", [.topic: topic.name, .count: held.count])
            next = .begin
        case .refused(let error):
            isRefused = !((error as? PostgresError)?.isUnavailable ?? false)
            next = .standBy
        case .stopped: break
        }
    }
}
