import CCCTZ

/// The offsets of one zone for all time, as spans between changes.
///
/// Built once from CCTZ and then plain arrays: look-ups are a binary search without a call into C. Immutable,
/// so every thread may share it.
///
/// **How instants become days.** Within a span the local date grows with time. A change that turns the clock
/// back over a midnight already passed (00:01 → 23:01 in Newfoundland until 2011, 19 → 18 October in Sitka
/// 1867) would bring a date back, and its instants would not be one interval. The rule: *a date begins when
/// the local date turns to it for the last time*. In Newfoundland the minute from 00:00 to 00:01 counts for
/// the old date. So the day of an instant is the smallest local date at it or after it; days never go back,
/// and their bounds leave no gap.
final class ZoneRules: Sendable {
    /// Spans repeat every 400 years, when the calendar does.
    private static let cycleSeconds: Int64 = 146_097 * 86_400
    private static let cycleDays: Int64 = 146_097

    struct Span: Sendable {
        /// First second, in UTC.
        let start: Int64
        let offset: Int64
        /// The smallest local date at the start of any later span.
        let dayCeiling: Int64
        /// The day of the last second; spans before a change back may end with the same day.
        let lastDay: Int64
    }

    private let spans: [Span]
    /// Whether summer time goes on for ever after the last span.
    private let repeats: Bool

    init(_ transitions: [(start: Int64, offset: Int64)]) {
        var spans: [Span] = []
        var ceiling = Int64.max
        var end = Int64.max
        for transition in transitions.reversed() {
            let last =
                end == .max ? Int64.max : (end - 1 + transition.offset).flooredDivision(by: 86_400).quotient
            let lastDay = min(last, ceiling)
            let start = transition.start
            spans.append(Span(start: start, offset: transition.offset, dayCeiling: ceiling, lastDay: lastDay))
            ceiling = min(ceiling, (start + transition.offset).flooredDivision(by: 86_400).quotient)
            end = start
        }
        self.spans = spans.reversed()
        // CCTZ extends rules that go on by 400 years and no others; those end by 2087 (Morocco).
        repeats = (transitions.last?.start ?? 0) > 10_413_792_000  // 2300-01-01
    }

    /// Seconds east of UTC; `second` is within `Instant`'s bounds.
    @inline(__always)
    func offset(at second: Int64) -> Int64 {
        let (second, _) = folded(second)
        return spans[index(of: second)].offset
    }

    func day(of second: Int64) -> Int64 {
        let (second, cycles) = folded(second)
        let span = spans[index(of: second)]
        let date = (second + span.offset).flooredDivision(by: 86_400).quotient
        return min(date, span.dayCeiling) + cycles * Self.cycleDays
    }

    /// The first second whose day is `day` or later.
    func start(of day: Int64) -> Int64 {
        var day = day
        var cycles: Int64 = 0
        if repeats, let last = spans.last {
            let beyond = day - (last.start + last.offset).flooredDivision(by: 86_400).quotient
            if beyond >= 0 {
                cycles = beyond / Self.cycleDays + 1
                day -= cycles * Self.cycleDays
            }
        }
        let span = spans[firstIndex { $0.lastDay >= day }]
        return max(span.start, day * 86_400 - span.offset) + cycles * Self.cycleSeconds
    }

    /// The spans that touch `range`, cut to it.
    func pieces(of range: Range<Int64>) -> [(range: Range<Int64>, offset: Int64)] {
        var pieces: [(range: Range<Int64>, offset: Int64)] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let (second, cycles) = folded(start)
            let position = index(of: second)
            let next =
                position + 1 < spans.count ? spans[position + 1].start + cycles * Self.cycleSeconds : .max
            let end = min(next, range.upperBound)
            pieces.append((start..<end, spans[position].offset))
            start = end
        }
        return pieces
    }

    /// Brings an instant after the last span back by whole cycles.
    @inline(__always)
    private func folded(_ second: Int64) -> (second: Int64, cycles: Int64) {
        guard repeats, let last = spans.last, second >= last.start else { return (second, 0) }
        let cycles = (second - last.start) / Self.cycleSeconds + 1
        return (second - cycles * Self.cycleSeconds, cycles)
    }

    @inline(__always)
    private func index(of second: Int64) -> Int {
        max(firstIndex { $0.start > second } - 1, 0)
    }

    /// Binary search; `spans.count` when no span fulfils the condition, which must stay true once it is.
    @inline(__always)
    private func firstIndex(where condition: (borrowing Span) -> Bool) -> Int {
        var low = 0
        var high = spans.count
        while low < high {
            let middle = (low &+ high) >> 1
            if condition(spans[middle]) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}

extension ZoneRules {
    /// Returns nil when the file is missing or damaged.
    static func load(path: String) -> ZoneRules? {
        guard let zone = cz_zone_load(path) else { return nil }
        defer { cz_zone_free(zone) }
        var offset = Int64(cz_zone_offset(zone, Instant.beginning))
        var transitions = [(start: Instant.beginning, offset: offset)]
        var next = cz_transition(at: Instant.beginning, offset: 0)
        while cz_zone_next_transition(zone, next.at, &next) {
            // Changes of the name alone are no business of ours.
            guard Int64(next.offset) != offset else { continue }
            offset = Int64(next.offset)
            transitions.append((next.at, offset))
        }
        return ZoneRules(transitions)
    }
}
