/// Writes one JSON line per event to standard error.
///
/// Passed explicitly, cheap to copy. Below the level nothing is built: the fields are an autoclosure.
public struct Logger: Sendable {
    public typealias Fields = KeyValuePairs<LogKey, any LogValue>

    /// A value is cut after this many scalars, so that a line stays readable and bounded.
    public static let valueScalarsMax = 512

    public let level: LogLevel
    private let servicePart: String
    private let clock: any WallClock
    private let write: @Sendable ([UInt8]) -> Void

    /// `write` gets whole lines, newline included, from any thread.
    public init(
        service: String,
        level: LogLevel = .info,
        clock: any WallClock = SystemWallClock(),
        write: @escaping @Sendable ([UInt8]) -> Void = StandardError.write
    ) {
        self.level = level
        self.clock = clock
        self.write = write
        var part = JSONText()
        part.string(service)
        servicePart = String(decoding: part.bytes, as: UTF8.self)
    }

    /// Says nothing, for tests that are not about the log.
    public static let silent = Logger(service: "", level: .error, write: { _ in })

    @inlinable
    public func debug(_ event: LogEvent, _ fields: @autoclosure () -> Fields = [:]) {
        log(.debug, event, fields())
    }

    @inlinable
    public func info(_ event: LogEvent, _ fields: @autoclosure () -> Fields = [:]) {
        log(.info, event, fields())
    }

    @inlinable
    public func warn(_ event: LogEvent, _ fields: @autoclosure () -> Fields = [:]) {
        log(.warn, event, fields())
    }

    @inlinable
    public func error(_ event: LogEvent, _ fields: @autoclosure () -> Fields = [:]) {
        log(.error, event, fields())
    }

    @inlinable
    public func log(_ level: LogLevel, _ event: LogEvent, _ fields: @autoclosure () -> Fields = [:]) {
        guard level >= self.level else { return }
        log(level, event, fields(), suppressed: 0)
    }

    @usableFromInline
    func log(_ level: LogLevel, _ event: LogEvent, _ fields: Fields, suppressed: Int) {
        var line = JSONText()
        line.raw("{\"ts\":\"")
        line.raw(utcText(ms: clock.nowMs()))
        line.raw("\",\"level\":\"")
        line.raw(level.rawValue)
        line.raw("\",\"service\":")
        line.raw(servicePart)
        line.raw(",\"event\":")
        line.string(event.name, scalarsMax: Self.valueScalarsMax)
        for (key, value) in fields {
            line.raw(",\"")
            line.raw(key.rawValue)
            line.raw("\":")
            line.value(value.logged)
        }
        if suppressed > 0 { line.raw(",\"\(LogKey.suppressed.rawValue)\":\(suppressed)") }
        line.raw("}\n")
        write(line.bytes)
    }
}

extension JSONText {
    fileprivate mutating func value(_ value: LoggedValue) {
        switch value {
        case .text(let text): string(text, scalarsMax: Logger.valueScalarsMax)
        case .integer(let number): raw(String(number))
        case .unsigned(let number): raw(String(number))
        // JSON has no infinity: a bare `inf` would make the whole line unreadable.
        case .number(let number): number.isFinite ? raw("\(number)") : string("\(number)")
        case .truth(let value): raw(value ? "true" : "false")
        case .absent: raw("null")
        }
    }
}
