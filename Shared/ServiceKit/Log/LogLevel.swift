/// How much a line matters; `LOG_LEVEL` names the least that is written.
@frozen
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug
    case info
    case warn
    case error

    @usableFromInline
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warn: 2
        case .error: 3
        }
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
