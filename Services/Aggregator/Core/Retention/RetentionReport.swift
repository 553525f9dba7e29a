import Calendar
import Schema

/// What an expiry run removed, or would remove, of one table.
public struct RetentionItem: Sendable, Equatable {
    public let table: String
    public var rows = 0
    /// Names of partitions that go as a whole; only of `events`.
    public var partitions: [String] = []
    /// Bytes on disk that go at once; only of partitions.
    public var bytes: Int64 = 0
    /// Local days, over all apps.
    public var days = 0

    init(_ table: String) { self.table = table }

    public var isEmpty: Bool { rows == 0 && partitions.isEmpty && days == 0 }
}

/// What an expiry run came to.
public struct RetentionReport: Sendable, Equatable {
    /// The first day in UTC whose events are kept.
    public internal(set) var keptFrom: String
    public internal(set) var events = RetentionItem("events")
    /// Blocks that give way to counts.
    public internal(set) var closedDays = RetentionItem("closed_days")
    public internal(set) var installs = RetentionItem("installs")
    public internal(set) var users = RetentionItem("users")
    public internal(set) var userInstalls = RetentionItem("user_installs")
    public internal(set) var consumerOffsets = RetentionItem("consumer_offsets")
    /// Nothing was done: apps are being merged, or another instance is at it.
    public internal(set) var isPostponed = false
    /// Some days or months were in use; the next run takes them up.
    public internal(set) var isIncomplete = false

    init(_ horizon: RetentionHorizon) { keptFrom = horizon.firstDay.description }

    public var items: [RetentionItem] {
        [events, closedDays, installs, users, userInstalls, consumerOffsets]
    }
}
