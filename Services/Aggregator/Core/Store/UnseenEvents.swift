import Contracts
import Postgres
import Schema

/// The events of a batch that are not stored yet, one of each insert id, by their positions in `AdmittedEvents.events`.
struct UnseenEvents {
    /// In the order they came.
    let arrivals: [Int]
    /// In the order of their ids, which is that of the index.
    let sorted: [Int]

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

    /// Of several copies in the batch the first one counts.
    init(of admitted: AdmittedEvents, _ connection: isolated PostgresConnection) throws {
        let candidates = Self.candidates(admitted.events)
        var isStored = [Bool](repeating: false, count: candidates.count)
        let look = Self.look(candidates, in: admitted.searchRange).plannedEachTime
        for number in try connection.rows(look, decode: { try $0.int(0) }) { isStored[number - 1] = true }
        var sorted: [Int] = []
        sorted.reserveCapacity(candidates.count)
        for (candidate, isStored) in zip(candidates, isStored) where !isStored {
            sorted.append(candidate.position)
        }
        self.sorted = sorted
        arrivals = sorted.sorted()
    }

    /// In the order of the index, so that neighbouring look-ups meet the same pages.
    private static func candidates(_ events: [AdmittedEvents.Event]) -> [Candidate] {
        var all: [Candidate] = []
        all.reserveCapacity(events.count)
        for position in events.indices {
            all.append(
                Candidate(app: events[position].app, id: events[position].event.insertID, position: position)
            )
        }
        all.sort(by: Candidate.precedes)
        var candidates: [Candidate] = []
        candidates.reserveCapacity(all.count)
        for candidate in all {
            if let last = candidates.last, last.app == candidate.app, last.id == candidate.id { continue }
            candidates.append(candidate)
        }
        return candidates
    }

    /// Counts from 1, as Postgres does.
    ///
    /// The bounds of time only choose the months. Written as a plain range they would, on a month without statistics, make the planner
    /// expect less of the index on time than of the one on insert ids.
    private static func look(_ candidates: [Candidate], in range: Range<Int64>) -> SQL {
        """
        SELECT k.number
        FROM unnest(\(candidates.map(\.app))::integer[], \(candidates.map(\.id))::uuid[])
            WITH ORDINALITY AS k(app_no, insert_id, number)
        JOIN events e ON e.app_no = k.app_no AND e.insert_id = k.insert_id
        WHERE e.event_time >= \(PostgresTimestamp(ms: range.lowerBound))::timestamptz
          AND e.event_time < ANY (ARRAY[\(PostgresTimestamp(ms: range.upperBound))::timestamptz])
        """
    }
}
