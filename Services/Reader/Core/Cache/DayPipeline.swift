import Contracts
import Dispatch
import Synchronization
import Wire

/// Lays days out on other threads while the next ones are still coming from the database, a few at a time.
final class DayPipeline: Sendable {
    private let people: PeopleMap
    private let group = DispatchGroup()
    private let slots = DispatchSemaphore(value: Parallel.width + 2)
    private let results = Mutex<[Result<ResolvedDay, DamagedDay>]>([])

    init(people: PeopleMap) {
        self.people = people
    }

    /// Waits, blocking, while too many are under way.
    func add(_ row: DayRows.Bytes) {
        slots.wait()
        DispatchQueue.global().async(group: group) { [self] in
            let result = row.decoded(.withoutTimes).map { ResolvedDay($0, people: people) }
            results.withLock { $0.append(result) }
            slots.signal()
        }
    }

    /// The days, in any order, still to be placed among their contexts.
    ///
    /// - Throws: `DamagedDay`: no figure is better than another one than the events give.
    func finish() throws -> [ResolvedDay] {
        group.wait()
        return try results.withLock { try $0.map { try $0.get() } }
    }
}
