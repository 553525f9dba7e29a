import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import Testing
import Wire

/// Goal: after any order of arrival and any interleaving with closings, every block equals the one made from all events at once.
///
/// Method: the closing protocol in memory (mark the event's own day, close, compare digests with the neighbours, mark those that differ),
/// over seeded worlds, against `DayOracle`.
@Suite struct ClosingConvergenceTests {
    static let zones = ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana"]

    @Test(arguments: UInt64(1)...60)
    func everyBlockEqualsTheOracle(seed: UInt64) throws {
        let zone = try LocalZone(named: Self.zones[Int(seed) % Self.zones.count])
        // The end of daylight saving in these zones lies inside the span for some seeds.
        let firstDay = try #require(LocalDay(seed % 2 == 0 ? "2026-10-20" : "2026-03-22"))
        let world = SessionWorld(seed: seed, zone: zone, firstDay: firstDay)
        var random = SplitMix64(seed: seed &* 31)
        var days = ClosingInMemory(zone: zone)

        for event in world.events {
            days.store(event)
            if Int.random(in: 0..<6, using: &random) == 0 {
                days.closeSome(.random(in: 1...4, using: &random))
            }
        }
        let steps = days.closeAll()

        #expect(steps < 2_000, "closing does not come to rest")
        for day in days.touched.sorted() {
            let expected = DayOracle.block(day, world.events, zone: zone)
            #expect(days.blocks[day]?.rows ?? [] == expected.rows, "\(day) in \(zone.name)")
        }
    }

    @Test(arguments: UInt64(1)...20)
    func arrivalOrderLeavesNoTrace(seed: UInt64) throws {
        let zone = LocalZone.utc
        let world = SessionWorld(seed: seed, zone: zone, firstDay: try #require(LocalDay("2026-06-01")))
        var random = SplitMix64(seed: seed)
        var (first, second) = (ClosingInMemory(zone: zone), ClosingInMemory(zone: zone))
        for event in world.events { first.store(event) }
        _ = first.closeAll()
        for event in world.events.shuffled(using: &random) {
            second.store(event)
            second.closeSome(1)
        }
        _ = second.closeAll()

        let encoded = { (days: ClosingInMemory) in
            days.blocks.mapValues(DayBlockCodec.encode).filter { !$0.value.isEmpty }
        }
        #expect(
            encoded(first).filter { first.blocks[$0.key]?.count != 0 }
                == encoded(second).filter { second.blocks[$0.key]?.count != 0 }
        )
    }
}

/// The tables a closing works on, as dictionaries.
struct ClosingInMemory {
    let zone: LocalZone
    private var events: [StoredEvent] = []
    private var waiting: [LocalDay] = []
    private var seen: [LocalDay: [LocalDay: Int64]] = [:]
    private(set) var blocks: [LocalDay: DayBlock] = [:]
    private(set) var touched: Set<LocalDay> = []

    init(zone: LocalZone) {
        self.zone = zone
    }

    mutating func store(_ event: StoredEvent) {
        events.append(event)
        mark(zone.day(ofMs: event.timeMs))
    }

    private mutating func mark(_ day: LocalDay) {
        touched.insert(day)
        if !waiting.contains(day) { waiting.append(day) }
    }

    mutating func closeSome(_ count: Int) {
        for _ in 0..<count where !waiting.isEmpty { close(waiting.removeFirst()) }
    }

    /// Returns how many closings it took, or a large number when it does not end.
    mutating func closeAll() -> Int {
        var steps = 0
        while !waiting.isEmpty, steps < 2_000 {
            close(waiting.removeFirst())
            steps += 1
        }
        return steps
    }

    private mutating func close(_ day: LocalDay) {
        let built = DayBuilder.build(
            day: day,
            bounds: zone.bounds(of: day),
            events: visible(from: day),
            dayOf: { [zone] in zone.day(ofMs: $0) }
        )
        blocks[day] = built.block
        seen[day] = built.seen
        let saw = seen.compactMapValues { $0[day] }
        for other in Set(saw.keys).union(built.shown.keys) where other != day {
            if saw[other, default: 0] != built.shown[other, default: 0] { mark(other) }
        }
    }

    /// What the statement of a closing selects.
    private func visible(from day: LocalDay) -> [StoredEvent] {
        let bounds = zone.bounds(of: day)
        let span = ClosingWindow.spanMs
        let inside = events.filter { bounds.contains($0.timeMs) }
        let later = Set(
            events.filter { $0.timeMs >= bounds.upperBound && $0.timeMs < bounds.lowerBound + span }.map(
                \.sessionID
            )
        )
        let spanning = events.filter {
            $0.isStart && $0.timeMs < bounds.lowerBound && $0.timeMs >= bounds.upperBound - span
                && later.contains($0.sessionID)
        }
        let ids = Set((inside + spanning).map(\.sessionID))
        let window = bounds.lowerBound - ClosingWindow.beforeMs..<bounds.upperBound + ClosingWindow.afterMs
        return inside
            + events.filter {
                !bounds.contains($0.timeMs) && window.contains($0.timeMs) && ids.contains($0.sessionID)
            }
    }
}
