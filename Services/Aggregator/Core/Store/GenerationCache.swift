/// Keeps what was used last: at least half of `capacity` entries, at most all of it.
///
/// Two generations instead of a list by age: what is used moves to the young one; when that is full it becomes the old one, and what
/// nobody used meanwhile goes. So an entry costs its key and value and nothing else.
struct GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationMax: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(capacity: Int) {
        generationMax = max(1, capacity / 2)
    }

    /// Entries held, counting twice what is in both generations.
    var count: Int { young.count + old.count }

    subscript(key: Key) -> Value? { young[key] ?? old[key] }

    mutating func remember(_ value: Value, for key: Key) {
        if young.count >= generationMax, young[key] == nil {
            old = young
            young = [:]
        }
        young[key] = value
    }
}
