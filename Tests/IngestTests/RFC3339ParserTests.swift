import Contracts
import Testing

@testable import IngestCore

@Suite struct RFC3339ParserTests {
    private func milliseconds(_ text: String) -> Int64? {
        Array(text.utf8).withUnsafeBufferPointer { RFC3339Parser.milliseconds($0) }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)),
        ("2026-10-14T09:15:02.000Z", 1_791_969_302_000),
        ("2026-10-14T09:15:02Z", 1_791_969_302_000),
        ("2026-10-14t09:15:02z", 1_791_969_302_000),
        ("2026-10-14T09:15:02.1Z", 1_791_969_302_100),
        ("2026-10-14T09:15:02.12Z", 1_791_969_302_120),
        ("2026-10-14T09:15:02.123456789Z", 1_791_969_302_123),
        ("2026-10-14T09:15:02.9999999999999999999999Z", 1_791_969_302_999),
        ("2026-10-14T09:15:02+00:00", 1_791_969_302_000),
        ("2026-10-14T09:15:02-00:00", 1_791_969_302_000),
        ("2026-10-14T12:15:02+03:00", 1_791_969_302_000),
        ("2026-10-14T23:15:02+14:00", 1_791_969_302_000),
        ("2026-10-14T01:15:02-08:00", 1_791_969_302_000),
        ("2026-10-15T09:14:02+23:59", 1_791_969_302_000),
        ("2026-10-13T09:16:02-23:59", 1_791_969_302_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("0000-02-29T00:00:00Z", -62_162_121_600_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("2262-04-11T23:47:16.854Z", 9_223_372_036_854),
    ])
    func readsTheGrammarOfTheRFC(text: String, ms: Int64) {
        #expect(milliseconds(text) == ms)
    }

    /// A leap second stays in its minute, so that it never moves a session into the next day.
    @Test(arguments: [
        ("2026-10-14T12:00:60Z", "2026-10-14T12:00:59.999Z"),
        ("2026-12-31T23:59:60Z", "2026-12-31T23:59:59.999Z"),
        ("2026-12-31T23:59:60.25Z", "2026-12-31T23:59:59.999Z"),
        ("2026-12-31T15:59:60-08:00", "2026-12-31T23:59:59.999Z"),
    ])
    func second60IsTheLastMillisecondOfItsMinute(text: String, same: String) throws {
        #expect(milliseconds(text) == milliseconds(same))
        #expect(milliseconds(text) != nil)
    }

    static let refused = [
        "", "2026", "2026-10-14", "2026-10-14T09:15Z", "2026-10-14T09:15:02", "2026-10-14 09:15:02Z",
        "2026-10-14T09:15:02,5Z", "2026-10-14T09:15:02.Z", "2026-10-14T09:15:02.5", "2026-10-14T09:15:02. 5Z",
        "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-00-14T00:00:00Z", "2026-13-14T00:00:00Z", "2026-10-00T00:00:00Z", "2026-10-32T00:00:00Z",
        "2026-10-14T24:00:00Z", "2026-10-14T23:60:00Z", "2026-10-14T23:59:61Z", "2026-10-14T25:00:00Z",
        "2026-10-14T09:15:02+24:00", "2026-10-14T09:15:02+03:60", "2026-10-14T09:15:02+0300",
        "2026-10-14T09:15:02+03", "2026-10-14T09:15:02 +03:00", "2026-10-14T09:15:02+3:00",
        "2026-10-14T09:15:02\u{2212}03:00", "2026-10-14T09:15:02UTC", "2026-10-14T09:15:02ZZ",
        " 2026-10-14T09:15:02Z", "2026-10-14T09:15:02Z ", "2026-10-14T09:15:02Z\n", "+2026-10-14T09:15:02Z",
        "02026-10-14T09:15:02Z", "-001-10-14T09:15:02Z", "26-10-14T09:15:02Z", "2026-1-14T09:15:02Z",
        "2026-10-14T9:15:02Z", "2026-W42-3T09:15:02Z", "2026-287T09:15:02Z", "20261014T091502Z",
        "1791969302", "1791969302000", "２０２６-10-14T09:15:02Z", "2026-10-14T09:15:02Z\0",
        "2026-10-14T09:15:0/Z", "2026-10-14T09:15:0:Z",
    ]

    @Test(arguments: refused) func refusesEverythingElse(text: String) {
        #expect(milliseconds(text) == nil)
    }

    @Test func everyDayOfFourCenturiesIsOneAfterTheOther() {
        let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var expected: Int64 = -11_676_096_000_000
        for year in 1600..<2000 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in 1...12 {
                for day in 1...(days[month - 1] + (month == 2 && isLeap ? 1 : 0)) {
                    guard milliseconds("\(year)-\(padded(month))-\(padded(day))T00:00:00Z") == expected else {
                        Issue.record("\(year)-\(month)-\(day)")
                        return
                    }
                    expected += TestTime.dayMs
                }
            }
        }
        #expect(milliseconds("2000-01-01T00:00:00Z") == expected)
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// The same rule where times come in: one bad time costs one event, a bad `sent_at` the batch.
@Suite struct TimeFieldTests {
    @Test(arguments: RFC3339ParserTests.refused.filter { !$0.contains("\0") && !$0.contains("\n") })
    func aBadTimestampRejectsItsEventOnly(text: String) throws {
        let events = [EventText.start(1), EventText.start(2) { $0["timestamp"] = quoted(text) }]

        #expect(
            try judge(BatchText.of(events)).outcomes == ["accepted", "invalid_field events[1].timestamp"]
        )
    }

    @Test(arguments: ["2026-10-14T09:15:02", "2026-10-14 09:15:02Z", "", "1791969302"])
    func aBadSentAtRefusesTheBatch(text: String) throws {
        let batch = BatchText.of([EventText.start()]) { $0["sent_at"] = quoted(text) }

        #expect(try refusal(of: batch) == BatchRefusal(.invalidBatch, field: "sent_at", issue: .invalid))
    }

    @Test func aTimeInEscapesIsATime() throws {
        let event = EventText.start { $0["timestamp"] = #""2026\u002d10-14T09:15:02.000Z""# }

        #expect(try outcome(event) == "accepted")
    }
}
