import Contracts
import Postgres
import Schema

/// Finds the events of a batch that are not stored yet, one of each insert id.
enum UnseenEvents {
    private struct Candidate {
        let app: Int32
        let id: UUID128
        let position: Int

        static func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
            if left.app != right.app { return left.app < right.app }
            if left.id != right.id { return left.id < right.id }
            return left.position < right.position
        }
    }

    /// Positions of the events that are not stored, ascending.
    ///
    /// Of several copies in the batch the first one counts.
    static func positions(
        of admitted: AdmittedEvents,
        _ connection: isolated PostgresConnection
    ) throws -> [Int] {
        // In the order of the index, so that neighbouring look-ups meet the same pages.
        let sorted = admitted.events.enumerated().map {
            Candidate(app: $0.element.app, id: $0.element.event.insertID, position: $0.offset)
        }.sorted(by: Candidate.precedes)
        var candidates: [Candidate] = []
        candidates.reserveCapacity(sorted.count)
        for candidate in sorted {
            if let last = candidates.last, last.app == candidate.app, last.id == candidate.id { continue }
            candidates.append(candidate)
        }
        let stored = try connection.rows(look(candidates, in: admitted.searchRange)) { try $0.int(0) }
        var isUnseen = [Bool](repeating: false, count: admitted.events.count)
        for candidate in candidates { isUnseen[candidate.position] = true }
        for number in stored { isUnseen[candidates[number - 1].position] = false }
        return isUnseen.indices.filter { isUnseen[$0] }
    }

    /// Counts from 1, as Postgres does.
    private static func look(_ candidates: [Candidate], in range: Range<Int64>) -> SQL {
        """
        SELECT k.number
        FROM unnest(\(candidates.map(\.app))::integer[], \(candidates.map(\.id))::uuid[])
            WITH ORDINALITY AS k(app_no, insert_id, number)
        JOIN events e ON e.app_no = k.app_no AND e.insert_id = k.insert_id
        WHERE e.event_time >= \(PostgresTimestamp(ms: range.lowerBound))::timestamptz
          AND e.event_time < \(PostgresTimestamp(ms: range.upperBound))::timestamptz
        """
    }
}
