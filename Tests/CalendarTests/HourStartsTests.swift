import Calendar
import Testing

@Suite struct HourStartsTests {
    private func labels(_ zone: String, _ day: String) throws -> [String] {
        let zone = try LocalZone(named: zone)
        return zone.hourStarts(of: try #require(LocalDay(day))).map { ms in
            String(RFC3339.format(ms: ms, offsetSeconds: zone.offsetSeconds(atMs: ms)).dropFirst(11))
        }
    }

    @Test func aMissingMidnightStartsAtOne() throws {
        let labels = try labels("Africa/Cairo", "2026-04-24")
        #expect(labels.count == 23)
        #expect(labels.first == "01:00:00+03:00")
        #expect(labels.last == "23:00:00+03:00")
    }

    @Test func theRepeatedHourIsTwo() throws {
        let labels = try labels("Europe/Berlin", "2026-10-25")
        #expect(labels.count == 25)
        #expect(
            Array(labels[1...4]) == ["01:00:00+02:00", "02:00:00+02:00", "02:00:00+01:00", "03:00:00+01:00"]
        )
    }

    @Test func theSkippedHourIsMissing() throws {
        let labels = try labels("Europe/Berlin", "2026-03-29")
        #expect(labels.count == 23)
        #expect(Array(labels[1...2]) == ["01:00:00+01:00", "03:00:00+02:00"])
    }

    @Test func halfAnHourForwardLeavesHalfAnHour() throws {
        let labels = try labels("Australia/Lord_Howe", "2026-10-04")
        #expect(labels.count == 24)
        #expect(Array(labels[1...3]) == ["01:00:00+10:30", "02:30:00+11:00", "03:00:00+11:00"])
    }

    @Test func halfAnHourBackRepeatsHalfAnHour() throws {
        let labels = try labels("Australia/Lord_Howe", "2026-04-05")
        #expect(labels.count == 25)
        #expect(Array(labels[1...3]) == ["01:00:00+11:00", "01:30:00+10:30", "02:00:00+10:30"])
    }

    @Test(arguments: [("Asia/Kolkata", "+05:30"), ("Asia/Kathmandu", "+05:45"), ("Etc/GMT+5", "-05:00")])
    func hoursAreWholeOnTheLocalClock(zone: String, offset: String) throws {
        let labels = try labels(zone, "2026-06-01")
        #expect(labels == (0..<24).map { ($0 < 10 ? "0" : "") + "\($0):00:00" + offset })
    }

    @Test func anOddOffsetBeforeStandardTimeHasWholeHoursToo() throws {
        let zone = try LocalZone(named: "Africa/Monrovia")
        let day = try #require(LocalDay("1960-05-05"))
        let starts = zone.hourStarts(of: day)
        #expect(starts.count == 24)
        #expect(starts.allSatisfy { ($0 / 1000 + Int64(zone.offsetSeconds(atMs: $0))) % 3600 == 0 })
    }
}
