import Calendar
import Contracts

/// The months whose partition is known to exist.
struct KnownMonths: Sendable {
    private var bounds: [Range<Int64>] = []

    mutating func add(monthOf ms: Int64) {
        let first = LocalZone.utc.day(ofMs: ms).firstOfMonth
        let next = first.advanced(by: 31).firstOfMonth
        bounds.append(
            LocalZone.utc.bounds(of: first).lowerBound..<LocalZone.utc.bounds(of: next).lowerBound
        )
    }

    mutating func forget() { bounds = [] }

    /// An instant of each month that is not known, oldest first.
    func missing(for messages: [DecodedMessage]) -> [Int64] {
        var found = self
        var missing: [Int64] = []
        for message in messages {
            guard case .events(let content) = message.content else { continue }
            for event in content.events where !found.contains(event.eventTimeMs) {
                found.add(monthOf: event.eventTimeMs)
                missing.append(event.eventTimeMs)
            }
        }
        return missing.sorted()
    }

    private func contains(_ ms: Int64) -> Bool { bounds.contains { $0.contains(ms) } }
}
