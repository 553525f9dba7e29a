import AggregatorCore
import Calendar
import Schema
import TestSupport
import Testing

/// The first month that is kept, at every kind of moment.
@Suite struct RetentionHorizonTests {
    @Test(
        arguments: [
            ("2026-12-01", 0, "2024-11-01"), ("2026-11-30", 24, "2024-11-01"),
            ("2026-11-15", 12, "2024-10-01"),
            ("2026-02-01", 0, "2024-01-01"), ("2026-01-31", 0, "2023-12-01"), ("2024-03-31", 0, "2022-02-01"),
        ]
    )
    func itIsTheMonthOf25MonthsAgo(date: String, hours: Double, first: String) {
        #expect(RetentionHorizon(nowMs: utcMs(date, hours: hours)).firstDay == LocalDay(first))
    }

    @Test func aMillisecondBeforeTheMonthItIsTheMonthBefore() {
        #expect(RetentionHorizon(nowMs: utcMs("2026-12-01") - 1).firstDay == LocalDay("2024-10-01"))
    }

    @Test(arguments: [Int64.min, -62_135_596_800_000, 0, 253_402_300_799_999, .max])
    func noMomentTraps(ms: Int64) {
        _ = RetentionHorizon(nowMs: ms).firstDay
    }
}
