import AggregatorCore
import Contracts
import Postgres
import Schema
import ServiceKit
import TestSupport
import Testing

/// What must hold of a busy world when everything has come to rest.
struct WorldCheck {
    let erasure: ErasureBench
    let messages: [EventMessage]
    let zone: String

    private var bench: StoreBench { erasure.bench }
    private var connection: PostgresConnection { erasure.connection }

    func daysEqualPlainSQL() async throws {
        #expect(try await bench.zone() == zone)
        try await expectDaysEqualOracle(bench, zone: zone)
        let versions = try await connection.number(
            "SELECT count(DISTINCT (app_no, zone_version)) FROM closed_days LIMIT 1"
        )
        #expect(versions == 1)
    }

    /// No table shows an erased subject, everybody else's events are all there, and nothing beyond.
    func nobodyIsLeft(of subjects: [DeletionSubject]) async throws {
        for subject in subjects {
            let found = try await rowsShowing(subject.value, connection)
            #expect(found.isEmpty, "\(subject)")
        }
        let stored = Set(
            try await connection.rows("SELECT insert_id FROM events ORDER BY 1 LIMIT 1000000") {
                try $0.uuid128(0)
            }
        )
        let survivors = Survivors(of: messages, without: subjects)
        #expect(stored.isSuperset(of: survivors.certain))
        #expect(stored.isSubset(of: survivors.possible))
        #expect(survivors.certain.count > 500)
        #expect(Set(messages.flatMap(\.events).map(\.insertID)).count > survivors.possible.count)
    }

    func replayChangesNothing(_ random: inout SplitMix64) async throws {
        let before = try await numbers()
        for batch in messages.shuffled(using: &random).chunked(50) {
            let outcome = try await erasure.store.add(batch)
            #expect(outcome.new == 0 && outcome.setAside.isEmpty)
        }
        try await erasure.pass()
        try await bench.closeAll()
        #expect(try await numbers() == before)
    }

    func frozenDaysEqualPlainSQL(expiry: String) async throws {
        let expected = try await PeopleSQLOracle.days(app: erasure.app.number, zone: zone, connection)
        try await bench.expire(at: expiry)
        let found = try await PeopleSQLOracle.totals(app: erasure.app.number, connection)
        #expect(found == expected)
        #expect(found.count > 20)
        #expect(try await connection.eventCount() == 0)
    }

    /// What happens after an erasure is a new life.
    func whoComesBackIsStored(_ user: String) async throws {
        // Late enough to lie in a kept day of any zone.
        let nowMs = erasure.clock.nowMs() + 3 * Span.dayMs
        let outcome = try await erasure.store.add(
            session(erasure.app, install: 99_999, at: nowMs, user: user, receivedAtMs: nowMs + Span.minuteMs)
        )
        #expect(outcome.new == 2 && outcome.suppressed == 0)
    }

    /// Days as reports and the archive show them, and how many events there are.
    private func numbers() async throws -> [String] {
        let totals = try await PeopleSQLOracle.totals(app: erasure.app.number, connection)
        let days = try await connection.texts(
            """
            SELECT concat_ws(' ', app_no, environment, day, first_at, end_at, encode(block, 'hex')) FROM closed_days
            ORDER BY app_no, environment, day LIMIT 100000
            """
        )
        return totals + days + ["\(try await connection.eventCount()) events"]
    }
}
