public import Calendar
public import Wire

/// A day as its closing computed it from raw events.
public struct BuiltDay: Sendable, Equatable {
    public var block: DayBlock
    public var sessions: Int
    public var sessionsEnded: Int
    public var durationMsSum: Int64
    /// What this day saw of nearby days that share sessions with it.
    public var seen: [LocalDay: Int64]
    /// What nearby days must have seen of this one.
    public var shown: [LocalDay: Int64]
}

/// Turns raw events into a day's block, without doing any input or output.
///
/// The same events in any order give the same block, byte for byte.
public struct DayBuilder {
    private let day: LocalDay
    private let bounds: Range<Int64>
    private let dayOf: (Int64) -> LocalDay

    private var rows: [DayBlock.Row] = []
    private var sessionsEnded = 0
    private var sessions = 0
    private var durationMsSum: Int64 = 0
    private var links = NeighbourLinks()

    /// - Parameters:
    ///   - bounds: first instant of the day and first instant after it, in milliseconds.
    ///   - dayOf: the local day of an instant, in the zone that gave `bounds`.
    public init(day: LocalDay, bounds: Range<Int64>, dayOf: @escaping (Int64) -> LocalDay) {
        self.day = day
        self.bounds = bounds
        self.dayOf = dayOf
    }

    /// - Parameter events: every event of the day, and every event within `ClosingWindow` of it that shares a session id
    ///   with one of the day's events or whose session spans the whole day.
    public static func build(
        day: LocalDay,
        bounds: Range<Int64>,
        events: consuming [StoredEvent],
        dayOf: @escaping (Int64) -> LocalDay
    ) -> BuiltDay {
        var builder = DayBuilder(day: day, bounds: bounds, dayOf: dayOf)
        // In place: a day is the most memory a closing holds.
        var ordered = consume events
        ordered.sort { ($0.sessionID, $0.timeMs, $0.insertID) < ($1.sessionID, $1.timeMs, $1.insertID) }
        var start = 0
        while start < ordered.count {
            var end = start + 1
            while end < ordered.count, ordered[end].sessionID == ordered[start].sessionID { end += 1 }
            builder.add(ordered[start..<end])
            start = end
        }
        return BuiltDay(
            block: DayBlock(rows: builder.rows),
            sessions: builder.sessions,
            sessionsEnded: builder.sessionsEnded,
            durationMsSum: builder.durationMsSum,
            seen: builder.links.seen,
            shown: builder.links.shown
        )
    }

    /// Adds the events of one session id.
    private mutating func add(_ events: ArraySlice<StoredEvent>) {
        let base = events.startIndex
        let group = SessionGroup(events)
        for index in events.indices where group.opening[index - base] == index - base {
            addSession(opening: events[index], attached: attached(to: index - base, of: group, events))
        }
        for index in events.indices where bounds.contains(events[index].timeMs) {
            let opening = group.opening[index - base]
            let session = opening < 0 ? nil : events[base + opening]
            addActivity(of: events[index], session: session)
        }
        // Most sessions begin and end within the day: nothing to compare with the neighbours.
        if let first = events.first, let last = events.last,
            !(bounds.contains(first.timeMs) && bounds.contains(last.timeMs))
        {
            links.add(events, group: group, day: day, dayOf: dayOf)
        }
    }

    private func attached(
        to opening: Int,
        of group: SessionGroup,
        _ events: ArraySlice<StoredEvent>
    ) -> (lastMs: Int64, durationMs: Int32) {
        var lastMs = events[events.startIndex + opening].timeMs
        var durationMs: Int32 = -1
        for index in events.indices where group.opening[index - events.startIndex] == opening {
            lastMs = max(lastMs, events[index].timeMs)
            durationMs = max(durationMs, events[index].durationMs)
        }
        return (lastMs, durationMs)
    }

    private mutating func addSession(opening: StoredEvent, attached: (lastMs: Int64, durationMs: Int32)) {
        guard opening.timeMs < bounds.upperBound, attached.lastMs >= bounds.lowerBound else { return }
        let isOfThisDay = opening.timeMs >= bounds.lowerBound
        let fromMs = max(opening.timeMs, bounds.lowerBound)
        let untilMs = min(attached.lastMs, bounds.upperBound - 1)
        rows.append(
            DayBlock.Row(
                context: opening.context,
                install: opening.install,
                user: opening.user,
                fromMs: Int32(fromMs - bounds.lowerBound),
                spanMs: Int32(untilMs - fromMs),
                durationMs: isOfThisDay ? attached.durationMs : -1,
                isSession: isOfThisDay
            )
        )
        guard isOfThisDay else { return }
        sessions += 1
        if attached.durationMs >= 0 {
            sessionsEnded += 1
            durationMsSum += Int64(attached.durationMs)
        }
    }

    /// Records that the event's own install and user were active, unless its session's row says so already.
    ///
    /// An end without a start makes its person active; so does an end that names another account than the start did.
    private mutating func addActivity(of event: StoredEvent, session: StoredEvent?) {
        if let session, session.timeMs < bounds.upperBound,
            session.install == event.install, session.user == event.user
        {
            return
        }
        rows.append(
            DayBlock.Row(
                context: event.context,
                install: event.install,
                user: event.user,
                fromMs: Int32(event.timeMs - bounds.lowerBound),
                spanMs: 0,
                durationMs: -1,
                isSession: false
            )
        )
    }
}
