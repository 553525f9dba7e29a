/// Writes instants as RFC 3339 has them.
///
/// Instants outside the years 1…9999 are written as the nearest one inside.
public enum RFC3339 {
    /// UTC to the millisecond: `2026-10-14T09:15:02.318Z`.
    public static func format(ms: Int64) -> String {
        let ms = Instant.clamp(ms: ms)
        return String(unsafeUninitializedCapacity: 24) { buffer in
            writeSeconds(ms, to: buffer)
            let count = writeFraction(ms, to: buffer)
            buffer[count] = UInt8(ascii: "Z")
            return count + 1
        }
    }

    /// Local time with its offset: `2026-04-24T01:00:00+03:00`; milliseconds only if there are any.
    ///
    /// The notation has no seconds in an offset. Local mean times before about 1930 have, so the offset is
    /// cut to minutes and the local time with it: the text always names the same instant.
    public static func format(ms: Int64, offsetSeconds: Int) -> String {
        let offsetMinutes = max(-1439, min(offsetSeconds / 60, 1439))
        let local = Instant.clamp(ms: Instant.clamp(ms: ms) + Int64(offsetMinutes) * 60_000)
        return String(unsafeUninitializedCapacity: 29) { buffer in
            writeSeconds(local, to: buffer)
            let count = local % 1000 == 0 ? 19 : writeFraction(local, to: buffer)
            buffer[count] = offsetMinutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
            DateText.pair(abs(offsetMinutes) / 60, to: buffer, at: count + 1)
            buffer[count + 3] = UInt8(ascii: ":")
            DateText.pair(abs(offsetMinutes) % 60, to: buffer, at: count + 4)
            return count + 6
        }
    }

    private static func writeSeconds(_ ms: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let (days, msOfDay) = ms.flooredDivision(by: 86_400_000)
        let (year, month, day) = LocalDay(clamping: days).components
        let second = Int(msOfDay / 1000)
        _ = DateText.write(year, month, day, to: buffer)
        buffer[10] = UInt8(ascii: "T")
        DateText.pair(second / 3600, to: buffer, at: 11)
        buffer[13] = UInt8(ascii: ":")
        DateText.pair(second / 60 % 60, to: buffer, at: 14)
        buffer[16] = UInt8(ascii: ":")
        DateText.pair(second % 60, to: buffer, at: 17)
    }

    private static func writeFraction(_ ms: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let fraction = Int(ms.flooredDivision(by: 1000).remainder)
        buffer[19] = UInt8(ascii: ".")
        buffer[20] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / 100)
        DateText.pair(fraction % 100, to: buffer, at: 21)
        return 23
    }
}
