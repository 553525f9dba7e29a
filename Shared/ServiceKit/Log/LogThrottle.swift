import Synchronization

/// A logger for errors that repeat: at most one line per event name in each interval.
///
/// The next line that is let through says how many were left out before it, under `suppressed`.
public final class LogThrottle: Sendable {
    private struct Window {
        var openedMs: Int64
        var suppressed = 0
    }

    private let logger: Logger
    private let intervalMs: Int64
    private let clock: any MonotonicClock
    // Bounded by the source code: only literals make a `LogEvent`.
    private let windows = Mutex<[LogEvent: Window]>([:])

    public init(_ logger: Logger, intervalMs: Int64, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.logger = logger
        self.intervalMs = intervalMs
        self.clock = clock
    }

    public func log(_ level: LogLevel, _ event: LogEvent, _ fields: @autoclosure () -> Logger.Fields = [:]) {
        guard level >= logger.level, let suppressed = admit(event) else { return }
        logger.log(level, event, fields(), suppressed: suppressed)
    }

    public func warn(_ event: LogEvent, _ fields: @autoclosure () -> Logger.Fields = [:]) {
        log(.warn, event, fields())
    }

    public func error(_ event: LogEvent, _ fields: @autoclosure () -> Logger.Fields = [:]) {
        log(.error, event, fields())
    }

    /// How many lines were left out since the last one, or nil when this one is left out as well.
    private func admit(_ event: LogEvent) -> Int? {
        let nowMs = clock.nowMs()
        return windows.withLock { windows in
            if let window = windows[event], nowMs - window.openedMs < intervalMs {
                windows[event]?.suppressed += 1
                return nil
            }
            let suppressed = windows[event]?.suppressed ?? 0
            windows[event] = Window(openedMs: nowMs)
            return suppressed
        }
    }
}
