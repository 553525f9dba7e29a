import Postgres
import Testing

/// What ingest has acknowledged, against what is stored.
struct Ledger: Sendable {
    private(set) var accepted: Set<String> = []
    private(set) var refused: Set<String> = []

    /// Notes the answer to a batch: what it does not name as rejected is accepted.
    mutating func note(_ batch: TestBatch, _ answer: HTTPAnswer) throws {
        try #require(answer.status == 200, "\(answer.text)")
        let rejected = Set(answer.json["rejected"].list.compactMap { $0["index"].int })
        for (index, event) in batch.events.enumerated() {
            if rejected.contains(index) {
                refused.insert(event.insertID)
            } else {
                accepted.insert(event.insertID)
            }
        }
        #expect(answer.json["accepted"].int == batch.events.count - rejected.count)
    }

    mutating func add(_ other: Ledger) {
        accepted.formUnion(other.accepted)
        refused.formUnion(other.refused)
    }

    /// Every accepted event is stored exactly once, and nothing else is.
    func check(against stack: Stack) async throws {
        let stored = try await stack.database.texts(
            "SELECT insert_id::text FROM events ORDER BY insert_id LIMIT 1000000"
        )
        #expect(stored.count == accepted.count)
        #expect(Set(stored) == accepted)
    }
}

extension Stack {
    /// Everything the aggregator has derived, as text: events, identities and closed days.
    func tables() async throws -> [String] {
        var tables: [String] = []
        for table in [
            "events", "installs", "users", "user_installs", "contexts", "closed_days", "number_counters",
        ] {
            tables += try await database.use { connection in
                try await connection.rows(
                    SQL(unsafe: "SELECT '\(table) ' || t::text FROM \(table) t ORDER BY 1 LIMIT 1000000")
                ) { try $0.string(0) }
            }
        }
        return tables
    }

    /// Makes the next aggregator begin every partition anew.
    func rewindOffsets() async throws {
        try await database.use { connection in
            _ = try await connection.execute(
                "UPDATE consumer_offsets SET next_offset = 0 WHERE topic = \(topic)"
            )
        }
    }
}
