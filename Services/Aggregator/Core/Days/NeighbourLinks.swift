import Calendar
import Contracts

/// Digests of what a day and its neighbours know of each other's events.
///
/// A session that crosses midnight makes the block of one day depend on events of another. Storing an event marks only its own day;
/// when that day closes, it compares what its neighbours saw of it (`closed_days.neighbour_digests`) with what they should have seen,
/// and marks those that differ. Both sides take the sum over the same events: those of a shared session id that lie within 25 hours of an
/// event on the other side.
struct NeighbourLinks {
    private(set) var seen: [LocalDay: Int64] = [:]
    private(set) var shown: [LocalDay: Int64] = [:]

    /// Adds the events of one session id, of which some lie outside `day`.
    mutating func add(
        _ events: ArraySlice<StoredEvent>,
        group: SessionGroup,
        day: LocalDay,
        dayOf: (Int64) -> LocalDay
    ) {
        let base = events.startIndex
        let days = events.map { dayOf($0.timeMs) }
        let digests = events.indices.map { index in
            let opening = group.opening[index - base]
            return digest(events[index], opening: opening < 0 ? nil : events[base + opening])
        }
        for other in runs(of: days) where days[other.lowerBound] != day {
            for own in runs(of: days) where days[own.lowerBound] == day {
                addPairs(own: own, other: other, times: events.map(\.timeMs), days: days, digests: digests)
            }
        }
        addSpans(group: group, days: days, digests: digests, day: day)
    }

    /// Events come ordered by time, so each day is one run of them.
    private func runs(of days: [LocalDay]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in days.indices where index + 1 == days.count || days[index + 1] != days[index] {
            runs.append(start..<(index + 1))
            start = index + 1
        }
        return runs
    }

    /// The nearest event of the other run is its last or its first one, so one look tells whether a partner is in reach.
    private mutating func addPairs(
        own: Range<Int>,
        other: Range<Int>,
        times: [Int64],
        days: [LocalDay],
        digests: [Int64]
    ) {
        let isOtherEarlier = other.upperBound <= own.lowerBound
        let nearestOther = times[isOtherEarlier ? other.upperBound - 1 : other.lowerBound]
        let nearestOwn = times[isOtherEarlier ? own.lowerBound : own.upperBound - 1]
        for index in own where abs(times[index] - nearestOther) <= ClosingWindow.spanMs {
            shown[days[other.lowerBound], default: 0] &+= digests[index]
        }
        for index in other where abs(times[index] - nearestOwn) <= ClosingWindow.spanMs {
            seen[days[other.lowerBound], default: 0] &+= digests[index]
        }
    }

    /// A session from one day over a whole quiet day into a third: the quiet day has no event of its own to be marked by.
    private mutating func addSpans(group: SessionGroup, days: [LocalDay], digests: [Int64], day: LocalDay) {
        for opening in days.indices where group.opening[opening] == opening {
            guard let last = days.indices.last(where: { group.opening[$0] == opening }) else { continue }
            var between = days[opening].advanced(by: 1)
            while between < days[last] {
                if between == day {
                    seen[days[opening], default: 0] &+= digests[opening]
                    seen[days[last], default: 0] &+= digests[last]
                } else if days[opening] == day {
                    shown[between, default: 0] &+= digests[opening]
                } else if days[last] == day {
                    shown[between, default: 0] &+= digests[last]
                }
                between = between.advanced(by: 1)
            }
        }
    }

    /// Everything of an event that another day's block may depend on, including the session it was put to.
    private func digest(_ event: StoredEvent, opening: StoredEvent?) -> Int64 {
        var state = mix(event.insertID.high, event.insertID.low)
        state = mix(state, UInt64(bitPattern: event.timeMs))
        state = mix(state, UInt64(UInt32(bitPattern: event.durationMs)))
        state = mix(
            state,
            UInt64(UInt32(bitPattern: event.install)) << 32 | UInt64(UInt32(bitPattern: event.user))
        )
        state = mix(state, UInt64(UInt32(bitPattern: event.context)))
        state = mix(state, opening.map { mix($0.insertID.high, $0.insertID.low) } ?? 0)
        return Int64(bitPattern: state)
    }

    /// The finaliser of splitmix64 over both words; its result is stored, so it must never change.
    private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var z = (left ^ (right &* 0x9E37_79B9_7F4A_7C15)) &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
