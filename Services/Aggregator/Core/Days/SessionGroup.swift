import Contracts

/// Decides which events of one `session_id` make up which session.
///
/// A start opens a session unless another start of the same id lies within 25 hours before it. Any other event belongs to the latest
/// opening start at or before it within 25 hours, else to the earliest one after it within 25 hours (a clock that jittered), else to
/// none. Every decision looks at most 25 hours away, which is what lets one day be closed without reading history.
struct SessionGroup {
    /// For each event of the group, the position of the start that opens its session, or -1.
    private(set) var opening: [Int]

    /// - Parameter events: the events of one session id, ordered by (time, insert id).
    init(_ events: ArraySlice<StoredEvent>) {
        let base = events.startIndex
        opening = [Int](repeating: -1, count: events.count)
        let openings = Self.openings(of: events)
        guard !openings.isEmpty else { return }

        var next = 0
        for index in events.indices {
            while next < openings.count, events[openings[next]].timeMs <= events[index].timeMs { next += 1 }
            let before = next > 0 ? openings[next - 1] : nil
            let after = next < openings.count ? openings[next] : nil
            if let before, events[index].timeMs - events[before].timeMs <= ClosingWindow.spanMs {
                opening[index - base] = before - base
            } else if let after, events[after].timeMs - events[index].timeMs <= ClosingWindow.spanMs {
                opening[index - base] = after - base
            }
        }
    }

    private static func openings(of events: ArraySlice<StoredEvent>) -> [Int] {
        var openings: [Int] = []
        var previousMs: Int64?
        for index in events.indices where events[index].isStart {
            let timeMs = events[index].timeMs
            if let previousMs, timeMs - previousMs <= ClosingWindow.spanMs {
                // The same session starting again: the earliest start decides.
            } else {
                openings.append(index)
            }
            previousMs = timeMs
        }
        return openings
    }
}
