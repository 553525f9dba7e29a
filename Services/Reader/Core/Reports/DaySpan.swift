import Calendar

/// A span of local days, both ends included.
struct DaySpan: Equatable, Sendable {
    let first: LocalDay
    let last: LocalDay

    var count: Int { Int(last.number) - Int(first.number) + 1 }

    /// As many calendar days directly before.
    var previous: DaySpan {
        DaySpan(first: first.advanced(by: -count), last: first.advanced(by: -1))
    }

    /// Every date, in order.
    var days: [LocalDay] { (0..<max(0, count)).map { first.advanced(by: $0) } }
}
