/// The fixed name of what a log line reports.
///
/// Only a literal makes one, so nothing a client sent can become an event name.
public struct LogEvent: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let name: String

    public init(stringLiteral value: StaticString) {
        name = value.description
    }

    public var description: String { name }
}

/// A value a log line may carry: text, a number or a truth value.
public protocol LogValue: Sendable {
    var logged: LoggedValue { get }
}

/// The forms a value takes in a log line.
public enum LoggedValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case truth(Bool)
    /// Written as `null`, so that a line has the same keys whether or not there was a value.
    case absent
}

extension String: LogValue {
    public var logged: LoggedValue { .text(self) }
}

extension Substring: LogValue {
    public var logged: LoggedValue { .text(String(self)) }
}

extension Int: LogValue {
    public var logged: LoggedValue { .integer(Int64(self)) }
}

extension Int64: LogValue {
    public var logged: LoggedValue { .integer(self) }
}

extension Int32: LogValue {
    public var logged: LoggedValue { .integer(Int64(self)) }
}

extension UInt64: LogValue {
    public var logged: LoggedValue { .unsigned(self) }
}

extension Double: LogValue {
    public var logged: LoggedValue { .number(self) }
}

extension Bool: LogValue {
    public var logged: LoggedValue { .truth(self) }
}

extension Optional: LogValue where Wrapped: LogValue {
    public var logged: LoggedValue { self?.logged ?? .absent }
}
