import Calendar
import Testing

@Suite struct LocalZoneTests {
    @Test(arguments: [
        "UTC", "Etc/UTC", "Asia/Calcutta", "Asia/Kolkata", "Europe/Kiev", "Europe/Kyiv", "US/Pacific", "GMT",
        "Etc/GMT+5", "America/Argentina/Buenos_Aires", "America/Port-au-Prince",
    ])
    func knowsNamesOfTzdata(name: String) throws {
        #expect(try LocalZone(named: name).name == name)
    }

    @Test(arguments: [
        "", " ", "posixrules", "localtime", "Factory", "UTC+3", "IST", "europe/berlin", "Mars/Base", "Europe",
        "/usr/share/zoneinfo/Europe/Berlin", "file:/usr/share/zoneinfo/Europe/Berlin", "../zoneinfo/UTC",
        "right/UTC",
        "posix/UTC", "Fixed/UTC+03:00:00", "zone.tab", "tzdata.zi", "Europe/Berlin ", "Europe/Berlin\0",
        "CET-1CEST",
    ])
    func refusesEverythingElse(name: String) {
        #expect(throws: UnknownZone(name: name)) { try LocalZone(named: name) }
    }

    @Test func everyKnownNameCanBeLoaded() {
        #expect(LocalZone.knownNames.count > 400)
        for name in LocalZone.knownNames { #expect(throws: Never.self) { try LocalZone(named: name) } }
    }

    @Test func saysTheVersionOfTzdata() {
        #expect(LocalZone.tzdataVersion.wholeMatch(of: /20\d\d[a-z]+/) != nil)
    }

    /// Days that are not 24 h long, with their first instant as people would write it.
    static let days: [(zone: String, day: String, first: String, minutes: Int64)] = [
        ("Africa/Cairo", "2026-04-23", "2026-04-23T00:00:00+02:00", 1440),
        ("Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00", 1380),
        ("Africa/Cairo", "2026-04-25", "2026-04-25T00:00:00+03:00", 1440),
        ("Africa/Cairo", "2026-10-29", "2026-10-29T00:00:00+03:00", 1500),
        ("Africa/Cairo", "2026-10-30", "2026-10-30T00:00:00+02:00", 1440),
        ("Asia/Beirut", "2026-03-29", "2026-03-29T01:00:00+03:00", 1380),
        ("Asia/Beirut", "2026-10-24", "2026-10-24T00:00:00+03:00", 1500),
        ("America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00", 1380),
        ("America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00", 1380),
        ("America/Havana", "2024-11-03", "2024-11-03T00:00:00-04:00", 1500),
        ("Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00+00:00", 1380),
        ("Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00+00:00", 1500),
        ("Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", 1380),
        ("Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00", 1500),
        ("America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00", 1380),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 1380),
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-04T00:00:00+10:30", 1410),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00", 1470),
        ("Asia/Kolkata", "2026-06-01", "2026-06-01T00:00:00+05:30", 1440),
        ("Asia/Kathmandu", "2026-06-01", "2026-06-01T00:00:00+05:45", 1440),
        ("Pacific/Chatham", "2026-06-01", "2026-06-01T00:00:00+12:45", 1440),
        ("America/St_Johns", "2026-06-01", "2026-06-01T00:00:00-02:30", 1440),
        ("Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00-10:00", 1440),
        ("Pacific/Apia", "2011-12-31", "2011-12-31T00:00:00+14:00", 1440),
        ("Pacific/Kwajalein", "1969-09-30", "1969-09-30T00:00:00+11:00", 2820),
        ("Africa/Monrovia", "1972-01-07", "1972-01-07T00:44:30+00:00", 1395),
        ("Asia/Pyongyang", "2018-05-04", "2018-05-04T00:00:00+08:30", 1410),
    ]

    @Test(arguments: days)
    func knowsTheBoundsOfADay(zone: String, day: String, first: String, minutes: Int64) throws {
        let zone = try LocalZone(named: zone)
        let bounds = zone.bounds(of: try #require(LocalDay(day)))
        let offsetSeconds = zone.offsetSeconds(atMs: bounds.lowerBound)
        #expect(RFC3339.format(ms: bounds.lowerBound, offsetSeconds: offsetSeconds) == first)
        #expect((bounds.upperBound - bounds.lowerBound) / 60_000 == minutes)
    }

    @Test func aSkippedDateIsEmptyBetweenItsNeighbours() throws {
        let zone = try LocalZone(named: "Pacific/Apia")
        let day = try #require(LocalDay("2011-12-30"))
        let bounds = zone.bounds(of: day)
        #expect(bounds.isEmpty)
        #expect(bounds.lowerBound == zone.bounds(of: day.advanced(by: -1)).upperBound)
        #expect(bounds.upperBound == zone.bounds(of: day.advanced(by: 1)).lowerBound)
        #expect(zone.hourStarts(of: day).isEmpty)
    }

    /// At 00:01 the clock went back to 23:01 of the day before: the date begins at its second midnight.
    @Test func aMidnightTakenBackDoesNotCount() throws {
        let zone = try LocalZone(named: "America/St_Johns")
        let day = try #require(LocalDay("2010-11-07"))
        let bounds = zone.bounds(of: day)
        #expect(RFC3339.format(ms: bounds.lowerBound) == "2010-11-07T03:30:00.000Z")
        #expect(zone.day(ofMs: bounds.lowerBound - 3_600_000) == day.advanced(by: -1))
        #expect(zone.bounds(of: day.advanced(by: -1)).upperBound == bounds.lowerBound)
    }

    @Test(
        arguments: [
            ("Asia/Kolkata", 66_600_000), ("Asia/Kathmandu", 65_700_000), ("America/St_Johns", 9_000_000),
            ("Pacific/Chatham", 40_500_000),
        ] as [(String, Int64)]
    )
    func theDayTurnsAtLocalMidnight(zone: String, msOfUTCDay: Int64) throws {
        let zone = try LocalZone(named: zone)
        let midnight = Int64(try #require(LocalDay("2026-06-15")).number) * 86_400_000 + msOfUTCDay
        let before = zone.day(ofMs: midnight - 1)
        #expect(zone.day(ofMs: midnight) == before.advanced(by: 1))
    }

    @Test(
        arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max],
        ["UTC", "Asia/Kolkata", "America/New_York"]
    )
    func noInstantTraps(ms: Int64, name: String) throws {
        let zone = try LocalZone(named: name)
        let day = zone.day(ofMs: ms)
        #expect((LocalDay.first...LocalDay.last).contains(day))
        #expect(!zone.bounds(of: day).isEmpty)
        #expect(abs(zone.offsetSeconds(atMs: ms)) < 86_400)
        #expect(zone.hourStarts(of: day).count >= 23)
    }

    @Test func rulesGoOnForEver() throws {
        let zone = try LocalZone(named: "Europe/Berlin")
        for year in [2037, 2038, 2437, 2438, 5000, 9998] {
            let july = zone.bounds(of: try #require(LocalDay(year: year, month: 7, day: 1)))
            #expect(zone.offsetSeconds(atMs: july.lowerBound) == 7200, "\(year)")
            #expect(zone.hourStarts(of: zone.day(ofMs: july.lowerBound)).count == 24)
        }
    }
}
