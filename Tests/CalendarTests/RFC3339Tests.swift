import Calendar
import Testing

@Suite struct RFC3339Tests {
    static let utc: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (1_791_969_302_318, "2026-10-14T09:15:02.318Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (.min, "0001-01-01T00:00:00.000Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
        (951_782_400_007, "2000-02-29T00:00:00.007Z"),
    ]

    @Test(arguments: utc)
    func writesUTC(ms: Int64, text: String) {
        #expect(RFC3339.format(ms: ms) == text)
    }

    static let local: [(Int64, Int, String)] = [
        (1_776_981_600_000, 10_800, "2026-04-24T01:00:00+03:00"), (0, 0, "1970-01-01T00:00:00+00:00"),
        (0, -12_600, "1969-12-31T20:30:00-03:30"), (1, 3600, "1970-01-01T01:00:00.001+01:00"),
        (-2_840_140_800_000, -17_762, "1879-12-31T19:04:00-04:56"), (0, -59, "1970-01-01T00:00:00+00:00"),
        (.max, 50_400, "9999-12-31T23:59:59.999+14:00"), (0, .max, "1970-01-01T23:59:00+23:59"),
    ]

    @Test(arguments: local)
    func writesLocalTime(ms: Int64, offsetSeconds: Int, text: String) {
        #expect(RFC3339.format(ms: ms, offsetSeconds: offsetSeconds) == text)
    }
}
