import Calendar

/// Spans in milliseconds.
public enum Span {
    public static let minuteMs: Int64 = 60_000
    public static let hourMs: Int64 = 3_600_000
    public static let dayMs: Int64 = 86_400_000
}

/// Milliseconds since 1970 of a UTC date such as `2026-03-31`, some hours on.
public func utcMs(_ date: String, hours: Double = 0) -> Int64 {
    guard let day = LocalDay(date) else { preconditionFailure("\(date) is no date") }
    return Int64(day.number) * Span.dayMs + Int64(hours * Double(Span.hourMs))
}
