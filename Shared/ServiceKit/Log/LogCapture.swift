import Synchronization

/// Keeps log lines instead of writing them, for tests.
public final class LogCapture: Sendable {
    private let kept = Mutex<[String]>([])

    public init() {}

    /// The lines so far, without their newlines.
    public var lines: [String] { kept.withLock { $0 } }

    public func logger(
        service: String = "test",
        level: LogLevel = .debug,
        clock: any WallClock = SystemWallClock()
    ) -> Logger {
        Logger(service: service, level: level, clock: clock) { [self] line in
            let text = String(decoding: line.dropLast(), as: UTF8.self)
            kept.withLock { $0.append(text) }
        }
    }
}
