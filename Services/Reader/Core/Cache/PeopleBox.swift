import Synchronization

/// An app's people, shared so that they are changed in place: a copy of a million of them for each change would cost more than the change.
final class PeopleBox: Sendable {
    private let map = Mutex(PeopleMap())

    var value: PeopleMap { map.withLock { $0 } }

    func replace(with other: PeopleMap) { map.withLock { $0 = other } }

    /// Returns the moments of first events that came or went.
    func apply(_ changes: PeopleChanges) -> [Int64] { map.withLock { $0.apply(changes) } }
}
