import Testing

@testable import ReaderCore

@Suite struct ChangeTests {
    @Test(arguments: [
        (Int64(0), Int64(0), Double?.none), (0, 5, nil), (5, 0, -100), (3, 3, 0), (1, 3, 200), (3, 1, -66.67),
        (3, 2, -33.33), (6, 7, 16.67), (100_000, 100_004, 0), (100_000, 100_005, 0.01),
    ])
    func changeInPercent(base: Int64, current: Int64, expected: Double?) {
        #expect(Change.percent(from: base, to: current) == expected)
    }

    /// The example of the contract.
    @Test(arguments: [
        (Int64(40_102), Int64(41_230), 2.81), (7_998, 8_120, 1.53), (195_020, 201_554, 3.35),
        (209_870, 214_500, 2.21), (96_500, 98_000, 1.55),
    ])
    func contractsOwnFigures(base: Int64, current: Int64, expected: Double) {
        #expect(Change.percent(from: base, to: current) == expected)
    }

    /// Floating point would lose the half in each of these.
    @Test(arguments: [(Int64(160), Int64(183), 14.38), (160, 137, -14.38), (480, 189, -60.63)])
    func halvesAreRoundedAwayFromZero(base: Int64, current: Int64, expected: Double) {
        #expect(Change.percent(from: base, to: current) == expected)
    }

    @Test func withoutAValueOnEitherSideThereIsNoChange() {
        #expect(Change.percent(from: nil, to: 5) == nil)
        #expect(Change.percent(from: 5, to: nil) == nil)
        #expect(Change.percent(from: nil, to: nil) == nil)
    }

    @Test func greatestValuesDoNotOverflow() {
        #expect(Change.percent(from: .max, to: 0) == -100)
        #expect(Change.percent(from: 1, to: .max) == 9.223372036854776e20)
    }
}

@Suite struct DaySpanTests {
    /// The same number of calendar days directly before, whatever months and leap years do.
    @Test(arguments: [
        ("2026-03-01", "2026-03-31", "2026-01-29", "2026-02-28"),
        ("2026-02-01", "2026-02-28", "2026-01-04", "2026-01-31"),
        ("2028-02-01", "2028-02-29", "2028-01-03", "2028-01-31"),
        ("2028-03-01", "2028-03-31", "2028-01-30", "2028-02-29"),
        ("2026-01-01", "2026-12-31", "2025-01-01", "2025-12-31"),
        ("2026-03-09", "2026-03-09", "2026-03-08", "2026-03-08"),
        ("2028-01-01", "2028-12-31", "2026-12-31", "2027-12-31"),
    ])
    func previousPeriod(first: String, last: String, previousFirst: String, previousLast: String) throws {
        let span = DaySpan(first: try day(first), last: try day(last))
        #expect(span.previous == DaySpan(first: try day(previousFirst), last: try day(previousLast)))
        #expect(span.previous.count == span.count)
    }

    @Test func bothEndsAreCounted() throws {
        #expect(DaySpan(first: try day("2026-03-09"), last: try day("2026-03-09")).count == 1)
        #expect(DaySpan(first: try day("2026-01-01"), last: try day("2026-12-31")).count == 365)
    }
}
