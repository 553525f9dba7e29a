/// A moment as a parameter: `\(PostgresTimestamp(ms: nowMs))::timestamptz`, exact to the millisecond.
///
/// A number handed to `to_timestamp` would travel through a floating-point seconds count instead.
public struct PostgresTimestamp: SQLValue, SQLArrayElement, Sendable, Equatable {
    public let msSinceEpoch: Int64

    public init(ms msSinceEpoch: Int64) {
        self.msSinceEpoch = msSinceEpoch
    }

    /// ISO 8601 in UTC; years that Postgres does not know are its to refuse.
    public var sqlText: String? {
        let (day, msOfDay) = Self.floored(msSinceEpoch, by: 86_400_000)
        let (year, month, dayOfMonth) = Self.civil(daysSinceEpoch: day)
        let date =
            "\(Self.padded(year > 0 ? year : 1 - year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))"
        let hour = Self.padded(msOfDay / 3_600_000, 2)
        let minute = Self.padded(msOfDay / 60_000 % 60, 2)
        let second = Self.padded(msOfDay / 1_000 % 60, 2)
        let time = "\(hour):\(minute):\(second).\(Self.padded(msOfDay % 1_000, 3))"
        return "\(date) \(time)+00\(year > 0 ? "" : " BC")"
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day comes last.
    private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(daysSinceEpoch + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
