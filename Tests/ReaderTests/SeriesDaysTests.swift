import Calendar
import Foundation
import Testing
import Wire

@testable import ReaderCore

/// Every calendar date once, in order, whatever the clocks of the zone do (B04).
@Suite struct SeriesDaysTests {
    private struct Answer: Decodable {
        struct Point: Decodable, Equatable {
            var ts: String
            var value: Int?
            var complete: Bool?
        }
        var points: [Point]
    }

    private func points(_ zone: LocalZone, _ first: String, _ last: String) throws
        -> [Answer.Point]
    {
        let (first, last) = (try day(first), try day(last))
        let days = (0...first.distance(to: last)).map {
            ReportDay(first.advanced(by: $0), [.of(install: 1)], zone: zone)
        }
        let snapshot = ReportSnapshot(
            ReportData(
                days: days,
                people: PeopleMap(installs: [.init(number: 1)], users: []),
                contexts: [:]
            ),
            zone: zone,
            asOfMs: zone.bounds(of: last).upperBound
        )
        let query = "metric=sessions&compare=none&from=\(first)&to=\(last)"
        let answer = try report(TimeseriesAPI.self, query).answer(snapshot)
        return try JSONDecoder().decode(Answer.self, from: Data(answer)).points
    }

    @Test(arguments: [
        ("Africa/Cairo", "2026-04-22", "2026-04-27", "2026-04-24T01:00:00+03:00"),
        ("Asia/Beirut", "2026-03-27", "2026-03-31", "2026-03-29T01:00:00+03:00"),
        ("America/Santiago", "2026-09-04", "2026-09-08", "2026-09-06T01:00:00-03:00"),
        ("America/Havana", "2026-03-06", "2026-03-10", "2026-03-08T01:00:00-04:00"),
        ("Asia/Beirut", "2026-10-23", "2026-10-27", "2026-10-25T00:00:00+02:00"),
        ("Europe/Berlin", "2026-03-27", "2026-03-31", "2026-03-30T00:00:00+02:00"),
        ("Europe/Berlin", "2026-10-23", "2026-10-27", "2026-10-25T00:00:00+02:00"),
        ("Pacific/Kiritimati", "2026-12-30", "2027-01-02", "2027-01-01T00:00:00+14:00"),
        ("Asia/Kathmandu", "2028-02-27", "2028-03-01", "2028-02-29T00:00:00+05:45"),
    ])
    func eachDateOnceAndWithItsData(zone: String, first: String, last: String, includes label: String) throws
    {
        let points = try points(try LocalZone(named: zone), first, last)
        let (from, to) = (try day(first), try day(last))
        let dates = (0...from.distance(to: to)).map { from.advanced(by: $0).description }
        #expect(points.map { String($0.ts.prefix(10)) } == dates)
        #expect(points.allSatisfy { $0.value == 1 && $0.complete == nil })
        #expect(points.contains { $0.ts == label })
    }

    @Test func dateThatAZoneSkippedHasNoPoint() throws {
        let points = try points(try LocalZone(named: "Pacific/Apia"), "2011-12-28", "2012-01-01")
        #expect(
            points.map(\.ts) == [
                "2011-12-28T00:00:00-10:00", "2011-12-29T00:00:00-10:00", "2011-12-31T00:00:00+14:00",
                "2012-01-01T00:00:00+14:00",
            ]
        )
    }

    @Test func dayThatIsRunningIsIncomplete() throws {
        let zone = try LocalZone(named: "Asia/Tokyo")
        let running = try day("2026-10-12")
        let snapshot = ReportSnapshot(
            ReportData(days: [], people: PeopleMap(installs: [], users: []), contexts: [:]),
            zone: zone,
            asOfMs: zone.bounds(of: running).lowerBound + 1
        )
        let query = "metric=new&from=2026-10-11&to=2026-10-13&compare=none"
        let answer = try report(TimeseriesAPI.self, query).answer(snapshot)
        let points = try JSONDecoder().decode(Answer.self, from: Data(answer)).points
        #expect(points.map(\.complete) == [nil, false, false])
        #expect(points.map(\.value) == [0, 0, 0])
    }
}
