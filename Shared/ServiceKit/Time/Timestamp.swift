/// Writes an instant as `2026-03-01T09:05:07.042Z`.
///
/// Plain arithmetic, because a log line is written thousands of times and must not depend on a time zone
/// database. Years outside 0...9999 are clamped: the text is always 24 characters.
public func utcText(ms: Int64) -> String {
    let clamped = min(max(ms, -62_167_219_200_000), 253_402_300_799_999)
    let days = floorDivide(clamped, 86_400_000)
    let ofDay = clamped - days * 86_400_000
    let date = civil(daysSinceEpoch: days)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    appendDigits(date.year, 4, to: &text)
    text.append(UInt8(ascii: "-"))
    appendDigits(date.month, 2, to: &text)
    text.append(UInt8(ascii: "-"))
    appendDigits(date.day, 2, to: &text)
    text.append(UInt8(ascii: "T"))
    appendDigits(ofDay / 3_600_000, 2, to: &text)
    text.append(UInt8(ascii: ":"))
    appendDigits(ofDay / 60_000 % 60, 2, to: &text)
    text.append(UInt8(ascii: ":"))
    appendDigits(ofDay / 1_000 % 60, 2, to: &text)
    text.append(UInt8(ascii: "."))
    appendDigits(ofDay % 1_000, 3, to: &text)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
}

/// Howard Hinnant's `civil_from_days`: years begin in March so that the leap day comes last.
private func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSinceEpoch + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

private func appendDigits(_ number: Int64, _ width: Int, to text: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
    }
}
