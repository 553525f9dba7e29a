import Calendar
import Testing

/// What must hold of hours, weeks and months in every zone of tzdata.
@Suite struct EveryZoneHoursTests {
    /// Days of 2010…2037, which see every kind of change there is, and some of any time; seeded by the name.
    private static func days(_ name: String) -> [LocalDay] {
        var random = SplitMix64(state: name.utf8.reduce(17) { $0 &* 31 &+ UInt64($1) })
        let near = (0..<400).map { _ in LocalDay(.random(in: 14_610...24_836, using: &random)) }
        return near + (0..<100).map { _ in LocalDay(.random(in: -40_000...60_000, using: &random)) }
    }

    /// The days of 2025…2027 on which an offset changes, and their neighbours.
    private static func changes(_ zone: LocalZone) -> [LocalDay] {
        (Int32(20_089)...21_183).map { LocalDay($0) }.filter {
            let bounds = zone.bounds(of: $0)
            return zone.offsetSeconds(atMs: bounds.lowerBound) != zone.offsetSeconds(atMs: bounds.upperBound)
        }
        .flatMap { [$0.advanced(by: -1), $0, $0.advanced(by: 1)] }
    }

    private struct Hour {
        let startMs: Int64
        let endMs: Int64
        let offsetSeconds: Int

        /// Each ends where the next begins, the last with the day.
        static func all(of day: LocalDay, _ zone: LocalZone) -> [Hour] {
            let starts = zone.hourStarts(of: day)
            return zip(starts, starts.dropFirst() + [zone.bounds(of: day).upperBound]).map { start, end in
                Hour(startMs: start, endMs: end, offsetSeconds: zone.offsetSeconds(atMs: start))
            }
        }

        /// Hours since 1970 on the local clock.
        func label(atMs ms: Int64) -> Int64 {
            let seconds = ms / 1000 - (ms % 1000 < 0 ? 1 : 0) + Int64(offsetSeconds)
            return seconds >= 0 ? seconds / 3600 : (seconds - 3599) / 3600
        }
    }

    /// Goal: hours tile their day, each has one offset and one label, and only a change makes one shorter.
    @Test(arguments: EveryZoneTests.names)
    func hoursTileTheDay(name: String) throws {
        let zone = try LocalZone(named: name)
        for day in Self.days(name) + Self.changes(zone) {
            let bounds = zone.bounds(of: day)
            let hours = Hour.all(of: day, zone)
            if (hours.first?.startMs ?? bounds.upperBound) != bounds.lowerBound {
                Issue.record("\(name) \(day) begins at \(hours.first?.startMs ?? 0)")
            }
            for hour in hours {
                let lengthMs = hour.endMs - hour.startMs
                let isRight =
                    lengthMs > 0 && lengthMs <= 3_600_000
                    && zone.offsetSeconds(atMs: hour.endMs - 1) == hour.offsetSeconds
                    && hour.label(atMs: hour.startMs) == hour.label(atMs: hour.endMs - 1)
                    && (lengthMs == 3_600_000 || isCut(hour, zone))
                if !isRight { Issue.record("\(name) \(day) \(hour)") }
            }
        }
    }

    /// Only where the clock changes, or where a day begins or ends within an hour because of such a change.
    private func isCut(_ hour: Hour, _ zone: LocalZone) -> Bool {
        let before = zone.offsetSeconds(atMs: hour.startMs - 1) != hour.offsetSeconds
        let after = zone.offsetSeconds(atMs: hour.endMs) != hour.offsetSeconds
        return before || after
    }

    /// Goal: what a series shows: as many hours as the day has, the repeated one twice, the skipped one not.
    @Test(arguments: EveryZoneTests.names)
    func labelsOfHoursAreUniqueWithTheirOffset(name: String) throws {
        let zone = try LocalZone(named: name)
        for day in Self.days(name) + Self.changes(zone) {
            let hours = Hour.all(of: day, zone)
            let labels = hours.map { RFC3339.format(ms: $0.startMs, offsetSeconds: $0.offsetSeconds) }
            if Set(labels).count != hours.count { Issue.record("\(name) \(day) \(labels)") }
            let hasChange = Set(hours.map(\.offsetSeconds)).count > 1
            let minutes = (zone.bounds(of: day).upperBound - zone.bounds(of: day).lowerBound) / 60_000
            if !hasChange, minutes == 1440, hours.count != 24 {
                Issue.record("\(name) \(day) \(hours.count)")
            }
        }
    }

    /// Goal: weeks and months of days cover time once, whatever days the zone has.
    @Test(arguments: EveryZoneTests.names)
    func weeksAndMonthsMeet(name: String) throws {
        let zone = try LocalZone(named: name)
        for day in Self.days(name) {
            let monday = day.mondayOfWeek
            let week = zone.bounds(of: monday).lowerBound..<zone.bounds(of: monday.advanced(by: 7)).lowerBound
            let month = day.firstOfMonth
            let nextMonth = month.advanced(by: 31).firstOfMonth
            let span = zone.bounds(of: month).lowerBound..<zone.bounds(of: nextMonth).lowerBound
            let own = zone.bounds(of: day)
            let isRight =
                monday.weekday == 1 && (0...6).contains(monday.distance(to: day))
                && (28...31).contains(month.distance(to: nextMonth))
                && week.lowerBound <= own.lowerBound && own.upperBound <= week.upperBound
                && span.lowerBound <= own.lowerBound && own.upperBound <= span.upperBound
            if !isRight { Issue.record("\(name) \(day)") }
        }
    }

    /// Goal: another name of a zone is the same zone.
    @Test(arguments: [
        ("Asia/Calcutta", "Asia/Kolkata"), ("Europe/Kiev", "Europe/Kyiv"),
        ("US/Pacific", "America/Los_Angeles"), ("Asia/Katmandu", "Asia/Kathmandu"),
        ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"),
    ])
    func anAliasHasTheSameDaysAndHours(alias: String, name: String) throws {
        let (first, second) = (try LocalZone(named: alias), try LocalZone(named: name))
        for day in Self.days(name) + Self.changes(second) {
            let isSame =
                first.bounds(of: day) == second.bounds(of: day)
                && first.hourStarts(of: day) == second.hourStarts(of: day)
            if !isSame { Issue.record("\(day)") }
        }
    }

    /// Goal: the kinds of days there are do occur, or the tests above would prove little.
    @Test func tzdataHasDaysOfEveryLength() throws {
        var minutes: Set<Int64> = []
        for name in EveryZoneTests.names {
            let zone = try LocalZone(named: name)
            let days = (Int32(15_000)...15_400).map { LocalDay($0) } + Self.changes(zone)
            for day in days {
                let bounds = zone.bounds(of: day)
                minutes.insert((bounds.upperBound - bounds.lowerBound) / 60_000)
            }
        }
        #expect(minutes.isSuperset(of: [0, 1380, 1410, 1440, 1470, 1500]))
    }

    /// A week that lost a date is six days long: Apia's from 26 December 2011.
    @Test func aWeekWithoutADateIsShorter() throws {
        let zone = try LocalZone(named: "Pacific/Apia")
        let monday = try #require(LocalDay("2011-12-26"))
        let hours = (0..<7).reduce(0) { $0 + zone.hourStarts(of: monday.advanced(by: $1)).count }
        #expect(hours == 6 * 24)
    }
}
