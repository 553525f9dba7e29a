/// Remembers which statements a connection has seen and prepared.
///
/// A text is prepared when it comes a second time: most of what runs once (DDL, settings) never comes back,
/// and preparing costs a round trip. Of more than `capacity` texts the least recently used is forgotten.
struct StatementCache {
    enum Plan: Equatable {
        /// Send text and values together.
        case once
        /// Prepare under this name, then run.
        case prepare(String)
        /// Run what was prepared under this name.
        case reuse(String)
    }

    /// Longer texts are not remembered, so that the cache is bounded in bytes too.
    static let textBytesMax = 16 * 1024

    private struct Entry {
        var name: String?
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0
    private var named: UInt64 = 0
    /// Statements that the server still holds although we forgot them.
    private(set) var orphans: [String] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func plan(for text: String) -> Plan {
        guard capacity > 0, text.utf8.count <= Self.textBytesMax else { return .once }
        uses += 1
        guard let entry = entries[text] else {
            if entries.count >= capacity { evictOldest() }
            entries[text] = Entry(name: nil, lastUse: uses)
            return .once
        }
        entries[text]?.lastUse = uses
        if let name = entry.name { return .reuse(name) }
        named += 1
        return .prepare("fg\(named)")
    }

    mutating func prepared(_ text: String, as name: String) {
        entries[text]?.name = name
    }

    /// Forgets one text, because its plan no longer fits the tables.
    mutating func forget(_ text: String) {
        if let name = entries.removeValue(forKey: text)?.name { orphans.append(name) }
    }

    /// Forgets everything, because the server did (`DISCARD ALL`).
    mutating func forgetAll() {
        entries = [:]
        orphans = []
    }

    mutating func orphansDeallocated() {
        orphans = []
    }

    private mutating func evictOldest() {
        if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key { forget(oldest) }
    }
}
