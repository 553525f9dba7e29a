import Calendar
import Testing

@Suite struct LocalDayTests {
    static let known: [(String, Int32, Int)] = [
        ("1970-01-01", 0, 4), ("2000-02-29", 11_016, 2), ("2026-04-24", 20_567, 5), ("1969-12-31", -1, 3),
        ("0001-01-01", -719_162, 1), ("9999-12-31", 2_932_896, 5), ("1900-03-01", -25_508, 4),
    ]

    @Test(arguments: known)
    func readsAndWritesDates(text: String, number: Int32, weekday: Int) throws {
        let day = try #require(LocalDay(text))
        #expect(day.number == number)
        #expect(day.description == text)
        #expect(day.weekday == weekday)
    }

    @Test(arguments: [
        "", "2026-1-01", "2026-01-1", "2026-13-01", "2026-00-10", "2026-02-29", "2100-02-29", "2026-02-30",
        "2026-04-31", "2026-01-00", "0000-01-01", "2026-01-01 ", " 2026-01-01", "2026-01-01T00:00:00Z",
        "2026/01/01",
        "+026-01-01", "20260101", "２０２６-01-01", "2026-01-0\u{661}",
    ])
    func refuses(text: String) {
        #expect(LocalDay(text) == nil)
    }

    @Test func everyDayOfTheRangeIsReadBack() {
        var year = 1
        var month = 1
        var day = 1
        for number in LocalDay.first.number...LocalDay.last.number {
            let components = LocalDay(number).components
            if components != (year, month, day) {
                Issue.record("\(components) is not \(year)-\(month)-\(day)")
                return
            }
            if LocalDay(year: year, month: month, day: day + 1) != nil {
                day += 1
            } else {
                day = 1
                month = month % 12 + 1
                if month == 1 { year += 1 }
            }
        }
        #expect(year == 10_000)
    }

    @Test(arguments: ["2026-10-12", "2026-10-13", "2026-10-18"])
    func aWeekStartsOnMonday(text: String) throws {
        #expect(try #require(LocalDay(text)).mondayOfWeek.description == "2026-10-12")
    }

    @Test(arguments: [
        ("2026-01-01", "2025-12-29"), ("1969-12-31", "1969-12-29"), ("0001-01-01", "0001-01-01"),
    ])
    func theMondayMayLieInAnotherYear(text: String, monday: String) throws {
        #expect(try #require(LocalDay(text)).mondayOfWeek.description == monday)
    }

    @Test(arguments: [
        ("2028-02-29", "2028-02-01"), ("2026-12-31", "2026-12-01"), ("1969-12-31", "1969-12-01"),
    ])
    func knowsTheFirstOfTheMonth(text: String, first: String) throws {
        #expect(try #require(LocalDay(text)).firstOfMonth.description == first)
    }

    @Test func stridesByDay() throws {
        let first = try #require(LocalDay("2028-02-28"))
        let days = (first...first.advanced(by: 2)).map(\.description)
        #expect(days == ["2028-02-28", "2028-02-29", "2028-03-01"])
    }

    @Test func arithmeticStopsAtTheEnds() {
        #expect(LocalDay.last.advanced(by: .max) == .last)
        #expect(LocalDay.first.advanced(by: .min) == .first)
        #expect(LocalDay(.min) == .first)
        #expect(LocalDay(.max) == .last)
        #expect(LocalDay.first.distance(to: .last) == 3_652_058)
    }
}
