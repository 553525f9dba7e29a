import Calendar
import Contracts
import Schema

extension EventMessage {
    /// Longer than any local day, so that most messages need no calendar.
    private static let dayMsMax: Int64 = 50 * 3_600_000

    /// The message without the events whose local day is expired; how many were taken out is added to `expired`.
    ///
    /// Only an import or a replay brings such events: clients may send seven days at most.
    func kept(since horizon: RetentionHorizon, in zone: LocalZone, expired: inout Int) -> EventMessage {
        let limitMs = horizon.keptFromMs + Self.dayMsMax
        if events.allSatisfy({ $0.eventTimeMs >= limitMs }) { return self }
        var kept = self
        kept.events = events.filter { !horizon.isExpired(zone.day(ofMs: $0.eventTimeMs), in: zone) }
        expired += events.count - kept.events.count
        return kept
    }
}
