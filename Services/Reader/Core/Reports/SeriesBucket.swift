import Calendar

/// A point of a series: which instants it stands for, and how it is labelled.
struct SeriesBucket: Sendable, Equatable {
    enum Granularity: String, Sendable, CaseIterable {
        case hour, day, week, month
    }

    /// The start it is labelled by; of a week or month that the range cuts it may lie before the range.
    var startMs: Int64
    /// Whether the range holds all of it.
    var isWhole: Bool
    /// First instant after it, as far as the range goes.
    var endMs: Int64
    /// The days in it that the range holds.
    var span: DaySpan

    /// The buckets of a range of days, each date in exactly one; a date the zone skipped begins none.
    static func days(_ span: DaySpan, by granularity: Granularity, zone: LocalZone) -> [SeriesBucket] {
        var buckets: [SeriesBucket] = []
        var first = span.first
        while first <= span.last {
            let (label, end) = unit(of: first, granularity)
            let last = min(end, span.last)
            let part = DaySpan(first: first, last: last)
            let endMs = zone.bounds(of: last).upperBound
            if zone.bounds(of: first).lowerBound < endMs {
                buckets.append(
                    SeriesBucket(
                        startMs: zone.bounds(of: label).lowerBound,
                        isWhole: label >= span.first && end <= span.last,
                        endMs: endMs,
                        span: part
                    )
                )
            }
            guard last < LocalDay.last else { break }
            first = last.advanced(by: 1)
        }
        return buckets
    }

    /// First and last date of the day, week (Monday to Sunday) or month around a date.
    private static func unit(of day: LocalDay, _ granularity: Granularity) -> (LocalDay, LocalDay) {
        switch granularity {
        case .hour, .day: (day, day)
        case .week: (day.mondayOfWeek, day.mondayOfWeek.advanced(by: 6))
        case .month: (day.firstOfMonth, lastOfMonth(day))
        }
    }

    /// The last month there is has none after it to be found by.
    private static func lastOfMonth(_ day: LocalDay) -> LocalDay {
        let next = day.firstOfMonth.advanced(by: 31).firstOfMonth
        return next > day ? next.advanced(by: -1) : .last
    }
}
