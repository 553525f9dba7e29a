public import Contracts

/// A raw event as the closing of a day reads it back: numbers only.
public struct StoredEvent: Sendable, Equatable {
    public var isStart: Bool
    public var timeMs: Int64
    public var insertID: UUID128
    public var sessionID: UUID128
    public var install: Int32
    /// 0 when the event names no user.
    public var user: Int32
    /// -1 on a start.
    public var durationMs: Int32
    public var context: Int32

    public init(
        isStart: Bool,
        timeMs: Int64,
        insertID: UUID128,
        sessionID: UUID128,
        install: Int32,
        user: Int32 = 0,
        durationMs: Int32 = -1,
        context: Int32 = 1
    ) {
        self.isStart = isStart
        self.timeMs = timeMs
        self.insertID = insertID
        self.sessionID = sessionID
        self.install = install
        self.user = user
        self.durationMs = durationMs
        self.context = context
    }
}

/// How far around a day its closing has to look.
///
/// An event's session is decided by starts within 25 hours of it, and whether such a start opens a session by starts within 25 hours
/// before that one. For the events of the day's neighbours that share a session with it, the same must be known.
public enum ClosingWindow {
    public static let spanMs = EventLimits.sessionSpanMsMax
    public static let beforeMs = 3 * spanMs
    public static let afterMs = 2 * spanMs
}
