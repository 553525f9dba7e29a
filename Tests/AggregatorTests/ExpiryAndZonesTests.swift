import AggregatorCore
import Calendar
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// Days at the border of the 25 months in apps that change their zone.
///
/// The horizon is 1 May 2022, 00:00 UTC. In Tokyo that is 09:00, so its 1 May is expired and frozen; UTC's is kept.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(5)))
struct ExpiryAndZonesTests {
    private static let hours: [Double] = [-4, 5, 20]
    private static let expiry = "2024-06-01"

    private func withBorder(_ zone: String, _ body: (StoreBench) async throws -> Void) async throws {
        try await withStore(timezone: zone) { bench in
            for hours in Self.hours {
                try await bench.addSession(at: utcMs("2022-05-01", hours: hours), durationMs: 0)
            }
            try await bench.closeAll()
            try await body(bench)
        }
    }

    private func days(_ bench: StoreBench) async throws -> [String] { try await bench.presentDays() }

    private func frozen(_ bench: StoreBench) async throws -> [String] {
        try await bench.connection.texts(
            """
            SELECT concat_ws(' ', day, sessions, timezone) FROM day_totals
            WHERE app_no = \(bench.app.number) AND dimension = '' ORDER BY day LIMIT 1000
            """
        )
    }

    @Test func frozenDaysOutliveAChangeOfZoneAndNameTheirOwn() async throws {
        try await withBorder("UTC") { bench in
            try await bench.addSession(at: utcMs("2022-04-10"))
            try await bench.expire(at: Self.expiry)
            try await bench.change(to: "America/Lima")
            #expect(try await frozen(bench) == ["2022-04-10 1 UTC", "2022-04-30 1 UTC"])
            // Of Lima's 30 April only the last hours are stored: it stays frozen as UTC cut it.
            #expect(try await days(bench) == ["2022-05-01 2"])
        }
    }

    @Test func aDateFrozenByTheOldZoneIsBuiltWhereTheNewOneKeepsIt() async throws {
        try await withBorder("Asia/Tokyo") { bench in
            try await bench.expire(at: Self.expiry)
            #expect(try await days(bench) == ["2022-05-02 1"])
            try await bench.change(to: "UTC")
            #expect(try await days(bench) == ["2022-05-01 2"])
            #expect(try await frozen(bench) == ["2022-05-01 2 Asia/Tokyo"])
        }
    }

    @Test func changeAndChangeBackGiveTheSameNumbersAtTheBorder() async throws {
        for (zone, other) in [("UTC", "Asia/Tokyo"), ("Asia/Tokyo", "UTC"), ("UTC", "America/Lima")] {
            try await withBorder(zone) { bench in
                try await bench.expire(at: Self.expiry)
                let before = (try await days(bench), try await frozen(bench))
                try await bench.change(to: other)
                try await bench.expire(at: Self.expiry)
                try await bench.change(to: zone)
                try await bench.expire(at: Self.expiry)
                let after = (try await days(bench), try await frozen(bench))
                #expect(after == before, "\(zone), \(other)")
            }
        }
    }

    /// What UTC counts as 30 April would be part of Tokyo's 1 May.
    @Test func anEventOfAFrozenDayIsNotCountedAgainByTheNewZone() async throws {
        try await withBorder("UTC") { bench in
            try await bench.request("Asia/Tokyo")
            try await bench.closeAll()
            try await bench.expire(at: Self.expiry)
            try await bench.finishChange()
            #expect(try await frozen(bench) == ["2022-04-30 1 UTC"])
            #expect(try await days(bench) == ["2022-05-02 1"])
        }
    }

    @Test func anExpiryBesideAChangeLeavesTheNewZonesBlocks() async throws {
        try await withBorder("Asia/Tokyo") { bench in
            try await bench.request("UTC")
            try await bench.closeAll()
            try await bench.expire(at: Self.expiry)
            try await bench.finishChange()
            #expect(try await days(bench) == ["2022-05-01 2"])
        }
    }

    @Test func aSwitchWaitsUntilTheOldZonesExpiredDaysAreFrozen() async throws {
        try await withBorder("UTC") { bench in
            try await bench.request("Asia/Tokyo")
            try await bench.closeAll()
            // Stopped when the horizon has moved and nothing is frozen.
            try await bench.expire(at: Self.expiry, shouldStop: { true })
            #expect(try await ZoneChanges.finishAll(bench.connection).isEmpty)
            try await bench.expire(at: Self.expiry)
            #expect(try await ZoneChanges.finishAll(bench.connection) == [bench.app.number])
            #expect(try await frozen(bench) == ["2022-04-30 1 UTC"])
        }
    }

    /// A day is either there in full or frozen, so the zone that reports are in decides what still comes in.
    @Test func lateEventsAtTheBorderFollowTheZoneOfReports() async throws {
        try await withStore(timezone: "Asia/Tokyo") { bench in
            try await bench.expire(at: Self.expiry)
            let late = { [app = bench.app] in
                let events = [-0.001, 0, 14.99, 15].map {
                    EventMessage.Event.start(at: utcMs("2022-05-01", hours: $0))
                }
                return EventMessage.valid(app: app.id, events)
            }
            try await bench.request("UTC")
            let during = try await bench.store.add(late())
            #expect(during.new == 1 && during.expired == 3)
            try await bench.closeAll()
            try await bench.finishChange()
            let after = try await bench.store.add(late())
            #expect(after.new == 3 && after.expired == 1)
        }
    }

    @Test func countsOfAnotherZoneGiveWayWhenTheDateExpiresAgain() async throws {
        try await withBorder("Asia/Tokyo") { bench in
            try await bench.expire(at: Self.expiry)
            try await bench.change(to: "UTC")
            try await bench.expire(at: "2024-07-01")
            #expect(try await frozen(bench) == ["2022-05-01 2 UTC"])
        }
    }

    /// Goal: whatever comes between, kept days are those of the present zone in full, and frozen ones never change again.
    ///
    /// Method: events of every hour around the border; changes of zone, expiries that are stopped, closings and late events in random order.
    @Test(arguments: UInt64(1)...12)
    func keptDaysEqualPlainSQLWhateverComesBetween(seed: UInt64) async throws {
        try await withStore(timezone: "UTC") { bench in
            var random = SplitMix64(seed: seed)
            let zones = [
                "UTC", "Asia/Tokyo", "America/Lima", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Niue",
            ]
            for _ in 0..<60 {
                let ms = utcMs("2022-05-01") + .random(in: -3 * Span.dayMs...3 * Span.dayMs, using: &random)
                try await bench.addSession(at: ms, durationMs: 60_000)
            }
            for _ in 0..<12 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    try await bench.request(zones.randomElement(using: &random) ?? "UTC")
                case 2:
                    let stop = StopAfter(.random(in: 1...6, using: &random))
                    try await bench.expire(at: Self.expiry, shouldStop: { stop.isReached })
                case 3:
                    let ms = utcMs("2022-05-01") + .random(in: -Span.dayMs...Span.dayMs, using: &random)
                    try await bench.addSession(at: ms, durationMs: 60_000)
                case 4: try await bench.closeAll()
                default: _ = try await ZoneChanges.finishAll(bench.connection)
                }
            }
            try await bench.closeAll()
            try await bench.expire(at: Self.expiry)
            _ = try await ZoneChanges.finishAll(bench.connection)
            try await bench.closeAll()
            #expect(try await bench.connection.number("SELECT count(*) FROM zone_changes LIMIT 1") == 0)
            let zone = try await bench.zone()
            let first = try LocalZone(named: zone).firstKept(sinceMs: utcMs("2022-05-01"))
            let expected = try await DaySQLOracle.days(
                app: bench.app.number,
                zone: zone,
                bench.connection
            )
            .filter { $0.day >= first.description && $0.sessions > 0 }
            .map { "\($0.day) \($0.sessions)" }
            #expect(try await days(bench) == expected, "\(zone)")
            #expect(expected.count > 1)
        }
    }
}

extension LocalZone {
    /// The first day that begins at the instant or after it.
    fileprivate func firstKept(sinceMs ms: Int64) -> LocalDay {
        let day = day(ofMs: ms)
        return bounds(of: day).lowerBound < ms ? day.advanced(by: 1) : day
    }
}
