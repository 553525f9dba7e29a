/// How far one partition is stored, and how near its retention is.
public struct PartitionLag: Sendable, Equatable {
    public let topic: String
    public let partition: Int32
    /// Offset of the next message to store; nil when nothing of the partition was ever stored.
    public let stored: Int64?
    /// The oldest offset the broker still has.
    public let logStart: Int64
    /// The offset of the next message to come.
    public let logEnd: Int64
    /// When the oldest message that is not stored was produced; nil when there is none, or it could not be read.
    public let oldestUnreadMs: Int64?
    /// How long the broker keeps a message; nil for ever.
    public let retentionMs: Int64?

    public init(
        topic: String,
        partition: Int32,
        stored: Int64?,
        log: (start: Int64, end: Int64),
        oldestUnreadMs: Int64? = nil,
        retentionMs: Int64?
    ) {
        (self.topic, self.partition, self.stored) = (topic, partition, stored)
        (logStart, logEnd) = log
        (self.oldestUnreadMs, self.retentionMs) = (oldestUnreadMs, retentionMs)
    }

    /// The next message to store.
    ///
    /// A position beyond the end is of a topic that was made anew.
    public var next: Int64 {
        guard let stored, stored <= logEnd else { return logStart }
        return max(stored, logStart)
    }

    /// Messages that the broker has and nobody has stored.
    public var messages: Int64 { max(0, logEnd - next) }

    /// Messages that the broker deleted before they were stored, and no instance has noticed yet.
    public var lost: Int64 { max(0, logStart - (stored ?? logStart)) }

    /// Age of the oldest message that is not stored; 0 without lag, nil when it could not be read.
    public func ageSeconds(nowMs: Int64) -> Double? {
        guard messages > 0 else { return 0 }
        return oldestUnreadMs.map { Double(max(0, nowMs - $0)) / 1_000 }
    }

    /// How long until the broker deletes a message that is not stored; infinite without lag, nil when it cannot be told.
    ///
    /// Negative when it is due: brokers delete whole segments, so the message may live on for a while.
    public func marginSeconds(nowMs: Int64) -> Double? {
        guard messages > 0, let retentionMs else { return .infinity }
        return oldestUnreadMs.map { Double($0 + retentionMs - nowMs) / 1_000 }
    }
}
