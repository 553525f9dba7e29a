import Calendar
import Foundation
import HTTP
import Testing

@testable import ReaderCore

@Suite struct EntityTagTests {
    private let tag = EntityTag(of: Array("state".utf8))

    @Test func isWeakAndTellsNothing() throws {
        #expect(tag.text.hasPrefix("W/\"") && tag.text.hasSuffix("\""))
        #expect(tag.text.count == 26)
        #expect(tag == EntityTag(of: Array("state".utf8)))
        #expect(tag != EntityTag(of: Array("State".utf8)))
    }

    @Test func isNamedWeakStrongAndInLists() {
        let strong = String(tag.text.dropFirst(2))
        for value in [
            tag.text, strong, "*", " * ", "\"x\", \(tag.text)", "\"a,b\",W/\"\", \(strong),\"y\"",
            "\t\(tag.text) ,",
        ] {
            #expect(tag.isNamed(in: [value]), "\(value)")
        }
        #expect(tag.isNamed(in: ["\"x\"", tag.text]))
    }

    @Test func isNotNamedByAnythingElse() {
        let bare = tag.text.dropFirst(3).dropLast()
        for value in [
            "", "\"\"", "\"x\"", String(bare), "w/\"\(bare)\"", "W/", "\"\(bare)", "W/\"x\(bare)\"",
            "x \(tag.text)",
        ] {
            #expect(!tag.isNamed(in: [value]), "\(value)")
        }
        #expect(!tag.isNamed(in: []))
    }

    // MARK: what a report's tag stands for

    private func name(
        _ query: String = "from=2026-03-01&to=2026-03-10",
        at instant: String = "2026-04-01T00:00:00Z",
        zone: LocalZone = .utc,
        hourly: Bool = false,
        path: String = "/p",
        _ format: AnswerFormat = .json
    ) throws -> String {
        let span = DaySpan(first: try march(1), last: try march(10))
        let request = SnapshotRequest(spans: [span.previous, span], rowSpans: hourly ? [span] : [])
        let snapshot = ReportSnapshot(
            ReportData(days: [], people: PeopleMap(installs: [], users: []), contexts: [:]),
            zone: zone,
            asOfMs: try ms(instant),
            dataThroughMs: .random(in: 0...1000)
        )
        return AnswerState.name(snapshot, request, path: path, query: try HTTPQuery(raw: query), format)
    }

    private func ms(_ instant: String) throws -> Int64 {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: instant.contains("."))
        return Int64((try style.parse(instant).timeIntervalSince1970 * 1000).rounded())
    }

    @Test func sameFiguresHaveTheSameName() throws {
        #expect(try name("a=1&b=2&b=3") == name("b=3&a=1&b=2&b=3"))
        #expect(try name("a=1&format=json") == name("a=1"))
        #expect(try name("a=%31") == name("a=1"))
    }

    @Test func anythingElseHasAnother() throws {
        let usual = try name("a=1")
        #expect(try name("a=2") != usual)
        #expect(try name("a=1&a=2") != usual)
        #expect(try name("a=1", path: "/q") != usual)
        #expect(try name("a=1", .csv) != usual)
        #expect(try name("a=1&b=2") != name("a=1%26b=2"))
        #expect(try name("a=1%0a") != usual)
    }

    @Test func pastAndFutureDoNotAgeWithTheClock() throws {
        #expect(try name(at: "2026-03-11T00:00:00Z") == name(at: "2031-01-01T12:34:56Z"))
        #expect(try name(at: "2025-01-01T00:00:00Z") == name(at: "2026-02-01T00:00:00Z"))
        #expect(try name(at: "2026-03-10T23:59:59.999Z") != name(at: "2026-03-11T00:00:00Z"))
        #expect(try name(at: "2026-02-18T23:59:59.999Z") != name(at: "2026-02-19T00:00:00Z"))
    }

    @Test func endOfADayOfTheReportIsSeen() throws {
        #expect(try name(at: "2026-03-05T00:00:00Z") == name(at: "2026-03-05T23:59:59.999Z"))
        #expect(try name(at: "2026-03-05T23:59:59.999Z") != name(at: "2026-03-06T00:00:00Z"))
        let zone = try LocalZone(named: "Asia/Kolkata")
        #expect(
            try name(at: "2026-03-05T18:29:59.999Z", zone: zone)
                != name(at: "2026-03-05T18:30:00Z", zone: zone)
        )
        #expect(
            try name(at: "2026-03-05T23:59:59.999Z", zone: zone)
                == name(at: "2026-03-06T00:00:00Z", zone: zone)
        )
    }

    @Test func endOfAnHourIsSeenByHour() throws {
        #expect(
            try name(at: "2026-03-05T09:00:00Z", hourly: true)
                == name(at: "2026-03-05T09:59:59.999Z", hourly: true)
        )
        #expect(
            try name(at: "2026-03-05T09:59:59.999Z", hourly: true)
                != name(at: "2026-03-05T10:00:00Z", hourly: true)
        )
        #expect(
            try name(at: "2026-03-11T09:00:00Z", hourly: true)
                == name(at: "2026-03-12T10:00:00Z", hourly: true)
        )
        let zone = try LocalZone(named: "Asia/Kolkata")
        #expect(
            try name(at: "2026-03-05T09:29:59.999Z", zone: zone, hourly: true)
                != name(at: "2026-03-05T09:30:00Z", zone: zone, hourly: true)
        )
    }
}
