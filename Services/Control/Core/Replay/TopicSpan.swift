import Calendar
import Foundation
import Kafka

/// Where a span of a topic begins or ends: an offset of every partition, or a time.
enum TopicPoint: Equatable {
    case offset(Int64)
    case time(ms: Int64)

    /// An offset is digits only; a time is RFC 3339, or a date, which begins at midnight UTC.
    init?(_ text: String) {
        if let offset = Int64(text), offset >= 0, text.allSatisfy({ $0.isASCII && $0.isNumber }) {
            self = .offset(offset)
        } else if let day = LocalDay(text) {
            self = .time(ms: Int64(day.number) * 86_400_000)
        } else if let date = (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        {
            self = .time(ms: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        } else {
            return nil
        }
    }
}

/// The offsets of a topic that a command reads, by partition; the ends are exclusive.
struct TopicSpan: Sendable {
    let topic: String
    let ranges: [Int32: Range<Int64>]

    var messages: Int64 { ranges.values.reduce(0) { $0 + Int64($1.count) } }

    /// What the broker has between two points, at this moment.
    ///
    /// - Parameter partition: nil for all of them.
    static func find(
        _ topic: String,
        from: TopicPoint,
        to: TopicPoint?,
        partition: Int32?,
        _ admin: KafkaAdmin
    ) async throws -> TopicSpan {
        let all = try await admin.partitions(of: topic)
        if let partition, !all.contains(partition) {
            throw CommandFailure("\(topic) has no partition \(partition)")
        }
        let first = try await offsets(of: topic, at: from, all, admin)
        let last: [Int32: Int64]
        if let to { last = try await offsets(of: topic, at: to, all, admin) } else { last = [:] }
        var ranges: [Int32: Range<Int64>] = [:]
        for number in all where partition == nil || partition == number {
            let marks = try await admin.watermarks(of: .init(topic: topic, partition: number))
            let start = min(max(first[number] ?? marks.low, marks.low), marks.high)
            let end = min(max(last[number] ?? marks.high, start), marks.high)
            ranges[number] = start..<end
        }
        return TopicSpan(topic: topic, ranges: ranges)
    }

    private static func offsets(
        of topic: String,
        at point: TopicPoint,
        _ partitions: [Int32],
        _ admin: KafkaAdmin
    ) async throws -> [Int32: Int64] {
        switch point {
        case .offset(let offset): Dictionary(uniqueKeysWithValues: partitions.map { ($0, offset) })
        case .time(let ms): try await admin.offsets(of: topic, atOrAfterMs: ms)
        }
    }
}

/// Reads a span in bounded memory, without a group: nobody's partitions move, nothing is committed.
struct SpanReader {
    private let span: TopicSpan
    private let consumer: KafkaConsumer
    private var position: [Int32: Int64]
    /// Offsets that are behind us, those used up by the broker or expired meanwhile included.
    var done: Int64 {
        position.reduce(0) { $0 + $1.value - (span.ranges[$1.key]?.lowerBound ?? $1.value) }
    }
    private static let pollMs = 200
    private static let stallSeconds = 30

    init(_ span: TopicSpan, brokers: String) async throws {
        self.span = span
        consumer = try KafkaConsumer(settings: [
            "bootstrap.servers": brokers,
            // Needed by the client; without a subscription nobody joins it.
            "group.id": "foreground-replay",
            "queued.max.messages.kbytes": "32768",
            "fetch.message.max.bytes": "2097152",
        ])
        position = span.ranges.mapValues(\.lowerBound)
        let wanted = span.ranges.filter { !$0.value.isEmpty }
        try await consumer.assign(
            wanted.map {
                (KafkaTopicPartition(topic: span.topic, partition: $0.key), .at($0.value.lowerBound))
            }
        )
    }

    /// The next messages, or nil at the end of the span.
    mutating func next(messagesMax: Int, bytesMax: Int) async throws -> [KafkaMessage]? {
        let stalled = ContinuousClock.now + .seconds(Self.stallSeconds)
        while !isAtEnd {
            guard ContinuousClock.now < stalled else {
                throw CommandFailure(
                    "nothing came from the broker for \(Self.stallSeconds) s, \(span.messages - done) messages are left"
                )
            }
            let events = try await consumer.poll(
                messagesMax: messagesMax,
                bytesMax: bytesMax,
                waitMs: Self.pollMs
            )
            var found: [KafkaMessage] = []
            for case .messages(let messages) in events { found += take(messages) }
            if !found.isEmpty { return found }
        }
        return nil
    }

    func close() async { await consumer.close() }

    private var isAtEnd: Bool {
        span.ranges.allSatisfy { position[$0.key, default: 0] >= $0.value.upperBound }
    }

    private mutating func take(_ messages: [KafkaMessage]) -> [KafkaMessage] {
        messages.filter { message in
            guard let range = span.ranges[message.partition] else { return false }
            position[message.partition] = min(message.offset + 1, range.upperBound)
            return range.contains(message.offset)
        }
    }
}
