import AggregatorCore
import Calendar
import Contracts
import ServiceKit
import Wire

/// A random stream of session events that looks for trouble: sessions over midnight, repeated starts, ends far away, jittered clocks, lost
/// starts, ids used again, two accounts on one install.
struct SessionWorld {
    static let hourMs: Int64 = 3_600_000
    let zone: LocalZone
    let events: [StoredEvent]

    /// - Parameter firstDay: sessions begin within ten days from it.
    init(
        seed: UInt64,
        zone: LocalZone,
        firstDay: LocalDay,
        sessions: Int = 60,
        installs: Int32 = 12,
        users: Int32 = 2
    ) {
        self.zone = zone
        var random = SplitMix64(seed: seed)
        let from = zone.bounds(of: firstDay).lowerBound
        var events: [StoredEvent] = []
        for number in 0..<sessions {
            let midnight = zone.bounds(of: firstDay.advanced(by: .random(in: 1...9, using: &random)))
                .lowerBound
            let startMs =
                Bool.random(using: &random)
                ? midnight + .random(in: -2 * Self.hourMs...2 * Self.hourMs, using: &random)
                : from + .random(in: 0...240 * Self.hourMs, using: &random)
            events += Self.session(UInt64(number), startMs: startMs, installs, users, using: &random)
        }
        self.events = events.shuffled(using: &random)
    }

    private static func session(
        _ number: UInt64,
        startMs: Int64,
        _ installs: Int32,
        _ users: Int32,
        using random: inout SplitMix64
    ) -> [StoredEvent] {
        let id = UUID128(high: 0x5E55, low: number)
        let install = Int32.random(in: 1...installs, using: &random)
        let user = Int32.random(in: 0...users, using: &random)
        var events: [StoredEvent] = []
        func add(_ isStart: Bool, _ timeMs: Int64, _ durationMs: Int32 = -1, _ random: inout SplitMix64) {
            let isOdd = Int.random(in: 0..<8, using: &random) == 0
            events.append(
                StoredEvent(
                    isStart: isStart,
                    timeMs: timeMs,
                    insertID: UUID128(high: number, low: random.next()),
                    sessionID: id,
                    install: isOdd ? .random(in: 1...installs, using: &random) : install,
                    user: isOdd ? .random(in: 0...users + 1, using: &random) : user,
                    durationMs: durationMs,
                    context: .random(in: 1...3, using: &random)
                )
            )
        }
        if Int.random(in: 0..<10, using: &random) > 0 { add(true, startMs, -1, &random) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let spans: [Int64] = [
                60_000, 600_000, 4 * hourMs, 24 * hourMs + 30 * 60_000, 25 * hourMs, 26 * hourMs,
            ]
            let span = spans.randomElement(using: &random) ?? 0
            let jitterMs = Int64.random(in: -300_000...300_000, using: &random)
            add(false, startMs + span + jitterMs, .random(in: 0...86_400_000, using: &random), &random)
        }
        while Int.random(in: 0..<5, using: &random) == 0 {
            add(true, startMs + .random(in: -30 * hourMs...55 * hourMs, using: &random), -1, &random)
        }
        return events
    }
}

/// A day worked out from all events at once, by the plain words of the rules: slow, and written apart from the closing code.
enum DayOracle {
    static let spanMs: Int64 = 25 * 3_600_000

    static func block(_ day: LocalDay, _ events: [StoredEvent], zone: LocalZone) -> DayBlock {
        let bounds = zone.bounds(of: day)
        // Sessions never mix ids, so each id is a small world of its own.
        let rows = Dictionary(grouping: events, by: \.sessionID).values.flatMap { own in
            sessionRows(own, bounds) + activityRows(own, bounds)
        }
        return DayBlock(rows: rows)
    }

    private static func sessionRows(_ events: [StoredEvent], _ bounds: Range<Int64>) -> [DayBlock.Row] {
        events.filter { isOpening($0, events) }.compactMap { opening in
            let own = events.filter { session(of: $0, events) == opening.insertID }
            let lastMs = own.map(\.timeMs).max() ?? opening.timeMs
            let isToday = bounds.contains(opening.timeMs)
            guard isToday || (opening.timeMs < bounds.upperBound && lastMs >= bounds.lowerBound) else {
                return nil
            }
            let fromMs = max(opening.timeMs, bounds.lowerBound)
            return DayBlock.Row(
                context: opening.context,
                install: opening.install,
                user: opening.user,
                fromMs: Int32(fromMs - bounds.lowerBound),
                spanMs: Int32(min(lastMs, bounds.upperBound - 1) - fromMs),
                durationMs: isToday ? own.map(\.durationMs).max() ?? -1 : -1,
                isSession: isToday
            )
        }
    }

    private static func activityRows(_ events: [StoredEvent], _ bounds: Range<Int64>) -> [DayBlock.Row] {
        events.filter { bounds.contains($0.timeMs) }.compactMap { event in
            let opening = session(of: event, events).flatMap { id in events.first { $0.insertID == id } }
            let isSaid = opening.map {
                $0.timeMs < bounds.upperBound && $0.install == event.install && $0.user == event.user
            }
            guard isSaid != true else { return nil }
            return DayBlock.Row(
                context: event.context,
                install: event.install,
                user: event.user,
                fromMs: Int32(event.timeMs - bounds.lowerBound),
                spanMs: 0,
                durationMs: -1,
                isSession: false
            )
        }
    }

    /// A start with no other start of its id within 25 hours before it.
    private static func isOpening(_ event: StoredEvent, _ events: [StoredEvent]) -> Bool {
        event.isStart
            && !events.contains { other in
                other.isStart && other.sessionID == event.sessionID && other.insertID != event.insertID
                    && (other.timeMs, other.insertID) < (event.timeMs, event.insertID)
                    && event.timeMs - other.timeMs <= spanMs
            }
    }

    /// The opening start an event belongs to: the latest at or before it in reach, else the earliest after it in reach.
    private static func session(of event: StoredEvent, _ events: [StoredEvent]) -> UUID128? {
        let openings = events.filter { $0.sessionID == event.sessionID && isOpening($0, events) }
        let before = openings.filter { $0.timeMs <= event.timeMs && event.timeMs - $0.timeMs <= spanMs }
            .max { $0.timeMs < $1.timeMs }
        let after = openings.filter { $0.timeMs > event.timeMs && $0.timeMs - event.timeMs <= spanMs }
            .min { $0.timeMs < $1.timeMs }
        return (before ?? after)?.insertID
    }
}
