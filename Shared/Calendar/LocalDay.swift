/// A date of the Gregorian calendar, in no zone in particular.
///
/// Kept within the years 1…9999; arithmetic stops at the ends instead of trapping.
public struct LocalDay: Hashable, Sendable, Comparable, Strideable, CustomStringConvertible {
    /// 0001-01-01.
    public static let first = LocalDay(clamping: -719_162)
    /// 9999-12-31.
    public static let last = LocalDay(clamping: 2_932_896)

    /// Days since 1970-01-01.
    public let number: Int32

    public init(_ number: Int32) {
        self.init(clamping: Int64(number))
    }

    init(clamping number: Int64) {
        self.number = Int32(max(-719_162, min(number, 2_932_896)))
    }

    /// Returns nil for dates that do not exist, such as 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= Self.length(ofMonth: month, year: year) else { return nil }
        number = Int32(Self.number(year: year, month: month, day: day))
    }

    /// Reads exactly `YYYY-MM-DD` in ASCII digits.
    public init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8.prefix(11))
        guard utf8.count == 10, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-") else { return nil }
        guard
            let year = Self.digits(utf8[0..<4]),
            let month = Self.digits(utf8[5..<7]),
            let day = Self.digits(utf8[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// 1 is Monday, 7 is Sunday, as in ISO 8601.
    public var weekday: Int {
        let daysSinceMonday = (Int(number) + 3) % 7  // 1970-01-01 was a Thursday.
        return daysSinceMonday < 0 ? daysSinceMonday + 8 : daysSinceMonday + 1
    }

    /// The Monday on or before this day.
    public var mondayOfWeek: LocalDay { advanced(by: 1 - weekday) }

    public var firstOfMonth: LocalDay { advanced(by: 1 - components.day) }

    public func advanced(by days: Int) -> LocalDay {
        let sum = Int64(number).addingReportingOverflow(Int64(days))
        guard !sum.overflow else { return days < 0 ? .first : .last }
        return LocalDay(clamping: sum.partialValue)
    }

    public func distance(to other: LocalDay) -> Int { Int(other.number) - Int(number) }

    public static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }

    public var description: String {
        let (year, month, day) = components
        return String(unsafeUninitializedCapacity: 10) { DateText.write(year, month, day, to: $0) }
    }
}

extension LocalDay {
    /// Year, month and day as people write them.
    ///
    /// Howard Hinnant's `civil_from_days`: years begin in March, so the leap day comes last.
    public var components: (year: Int, month: Int, day: Int) {
        let shifted = Int(number) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The inverse of `components`; `year` is at least 1.
    private static func number(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
