/// Reads the RFC 3339 times of clients, to the millisecond.
///
/// The grammar of the RFC and nothing beside it: `T` and `Z` in either case, any number of fraction digits (cut to milliseconds),
/// an explicit offset up to ±23:59. `:60` is read as the last millisecond of its minute, since a leap second must not move a session
/// into the next day. No blanks, no comma, no 24:00, no 30 February.
enum RFC3339Parser {
    /// Milliseconds since 1970 for years 0000...9999, or nil.
    static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        var cursor = Cursor(bytes: bytes)
        guard let year = cursor.digits(4), cursor.skip("-"),
            let month = cursor.digits(2), cursor.skip("-"),
            let day = cursor.digits(2), cursor.skip("T", or: "t"),
            let hour = cursor.digits(2), cursor.skip(":"),
            let minute = cursor.digits(2), cursor.skip(":"),
            let second = cursor.digits(2)
        else { return nil }
        guard (1...12).contains(month), (1...daysIn(month: month, year: year)).contains(day),
            hour <= 23, minute <= 59, second <= 60,
            let fractionMs = cursor.fractionMs(), let offsetMinutes = cursor.offsetMinutes(), cursor.isAtEnd
        else { return nil }
        let isLeapSecond = second == 60
        let daySeconds = hour * 3600 + minute * 60 + (isLeapSecond ? 59 : second)
        let ms = isLeapSecond ? 999 : fractionMs
        let days = daysSinceEpoch(year: year, month: month, day: day)
        return (days * 86_400 + daySeconds - offsetMinutes * 60) * 1000 + ms
    }

    private static func daysIn(month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

private struct Cursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func digits(_ count: Int) -> Int64? {
        guard position + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for index in position..<(position + count) {
            guard let digit = digit(at: index) else { return nil }
            value = value * 10 + digit
        }
        position += count
        return value
    }

    mutating func skip(_ scalar: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        guard byte == UInt8(ascii: scalar) || other.map({ byte == UInt8(ascii: $0) }) == true else {
            return false
        }
        position += 1
        return true
    }

    /// 0 without a fraction; nil when a point is followed by no digit.
    mutating func fractionMs() -> Int64? {
        guard skip(".") else { return 0 }
        var ms: Int64 = 0
        var count = 0
        while position < bytes.count, let digit = digit(at: position) {
            if count < 3 { ms = ms * 10 + digit }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { ms *= 10 }
        return ms
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z", or: "z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = digits(2), skip(":"), let minutes = digits(2), hours <= 23, minutes <= 59 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }

    private func digit(at index: Int) -> Int64? {
        let value = bytes[index] &- UInt8(ascii: "0")
        return value <= 9 ? Int64(value) : nil
    }
}
