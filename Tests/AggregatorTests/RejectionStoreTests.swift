import AggregatorCore
import Contracts
import Postgres
import TestSupport
import Testing

/// Goal: what was turned away is kept once, for as long as it is wanted, with the offsets in the same transaction.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct RejectionStoreTests {
    private static let receivedMs: Int64 = 1_791_979_200_000
    private static let id = UUID128(high: 7, low: 7)

    private static func message(_ app: UUID128, at ms: Int64 = receivedMs) -> RejectionMessage {
        RejectionMessage(
            appID: app,
            receivedAtMs: ms,
            items: [
                .init(
                    code: "invalid_field",
                    field: "user_id",
                    insertID: id,
                    platform: .ios,
                    appVersion: "3.4"
                ),
                .init(code: "invalid_batch"),
            ]
        )
    }

    private static func decoded(
        _ contents: DecodedRejections.Content...,
        partition: Int32 = 0
    ) -> [DecodedRejections] {
        contents.enumerated().map {
            DecodedRejections(partition: partition, offset: Int64($0.offset), content: $0.element)
        }
    }

    private func withRejections(
        _ body: (_ store: RejectionStore, _ app: TestApp, _ connection: PostgresConnection) async throws ->
            Void
    ) async throws {
        try await withDatabase { url, connection in
            let app = try await TestApp.make(connection)
            try await withConnection(to: url) { own in
                // With the rights of the service and no more.
                try await own.script("SET ROLE foreground_aggregator")
                try await body(
                    try await RejectionStore(connection: own, topic: "rejections"),
                    app,
                    connection
                )
            }
        }
    }

    private func rows(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.texts(
            """
            SELECT ROW(r.app_no, r.received_at, r.code, r.field, r.app_version, r.platform, r.insert_id, r.partition,
                       r.message_offset, r.item_index)::text
            FROM rejections r ORDER BY partition, message_offset, item_index LIMIT 1000
            """
        )
    }

    @Test func eachItemIsARowWithItsPlace() async throws {
        try await withRejections { store, app, connection in
            let outcome = try await store.store(
                Self.decoded(.rejections(Self.message(app.id)), partition: 4),
                progress: [PartitionProgress(partition: 4, expected: 0, next: 1)],
                oldestMs: 0
            )
            #expect(outcome == RejectionOutcome(new: 2, setAside: []))
            let rows = try await rows(connection)
            #expect(
                rows == [
                    "(\(app.number),\"2026-10-14 12:00:00+00\",invalid_field,user_id,3.4,ios,\(Self.id),4,0,0)",
                    "(\(app.number),\"2026-10-14 12:00:00+00\",invalid_batch,,,,,4,0,1)",
                ]
            )
            let offsets = try await store.offsets()
            #expect(offsets == [4: 1])
        }
    }

    @Test func aReplayChangesNothing() async throws {
        try await withRejections { store, app, connection in
            let batch = Self.decoded(
                .rejections(Self.message(app.id)),
                .unusable(reason: .notJSON, payload: [1])
            )
            _ = try await store.store(batch, progress: [], oldestMs: 0)
            let before = try await rows(connection)
            let outcome = try await store.store(batch, progress: [], oldestMs: 0)
            #expect(outcome == RejectionOutcome(new: 0, setAside: [.notJSON]))
            let after = try await rows(connection)
            #expect(after == before)
            let aside = try await connection.number("SELECT count(*) FROM set_aside_messages LIMIT 1")
            #expect(aside == 1)
        }
    }

    /// A topic that was made anew counts its offsets from 0 again.
    @Test func anotherMessageAtTheSamePlaceIsKeptToo() async throws {
        try await withRejections { store, app, connection in
            for at in [Self.receivedMs, Self.receivedMs + 5_000] {
                let batch = Self.decoded(.rejections(Self.message(app.id, at: at)))
                let outcome = try await store.store(batch, progress: [], oldestMs: 0)
                #expect(outcome.new == 2)
            }
        }
    }

    @Test func whatIsOldAlreadyIsNotStoredAndItsOffsetMoves() async throws {
        try await withRejections { store, app, connection in
            let old = Self.message(app.id, at: Self.receivedMs - 1)
            let outcome = try await store.store(
                Self.decoded(.rejections(old), .rejections(Self.message(app.id))),
                progress: [PartitionProgress(partition: 0, expected: 0, next: 2)],
                oldestMs: Self.receivedMs
            )
            #expect(outcome.new == 2)
            let kept = try await connection.number("SELECT min(message_offset) FROM rejections LIMIT 1")
            #expect(kept == 1)
            let offsets = try await store.offsets()
            #expect(offsets == [0: 2])
        }
    }

    @Test func whatCannotBeUsedIsSetAsideAndHoldsNobodyUp() async throws {
        try await withRejections { store, app, connection in
            let outcome = try await store.store(
                Self.decoded(
                    .unusable(reason: .unknownVersion, payload: [2]),
                    .rejections(Self.message(.random())),
                    .rejections(Self.message(app.id))
                ),
                progress: [PartitionProgress(partition: 0, expected: 0, next: 3)],
                oldestMs: 0
            )
            #expect(outcome == RejectionOutcome(new: 2, setAside: [.unknownVersion, .unknownApp]))
            let kept = try await connection.texts(
                """
                SELECT ROW(topic, message_offset, reason, length(payload))::text FROM set_aside_messages
                ORDER BY message_offset LIMIT 100
                """
            )
            #expect(kept == ["(rejections,0,unknown_version,1)", "(rejections,1,unknown_app,0)"])
        }
    }

    @Test func aPartitionMovedBySomebodyElseIsFenced() async throws {
        try await withRejections { store, app, connection in
            try await connection.script("INSERT INTO consumer_offsets VALUES ('rejections', 0, 9)")
            await #expect(throws: Fenced.self) {
                _ = try await store.store(
                    Self.decoded(.rejections(Self.message(app.id))),
                    progress: [PartitionProgress(partition: 0, expected: 0, next: 1)],
                    oldestMs: 0
                )
            }
            let rows = try await rows(connection)
            #expect(rows.isEmpty)
        }
    }

    @Test func rowsOfADeletedAppGoWithIt() async throws {
        try await withRejections { store, app, connection in
            _ = try await store.store(
                Self.decoded(.rejections(Self.message(app.id))),
                progress: [],
                oldestMs: 0
            )
            try await connection.script("DELETE FROM apps")
            let rows = try await rows(connection)
            #expect(rows.isEmpty)
        }
    }

    @Test func looksByTimeAndByInsertIDUseAnIndex() async throws {
        try await withRejections { store, app, connection in
            try await connection.script("SET enable_seqscan = off")
            for (condition, index) in [
                ("received_at > now()", "rejections_by_time"),
                ("insert_id = '\(Self.id)'", "rejections_by_insert_id"),
            ] {
                let plan = try await connection.texts(
                    SQL(
                        unsafe:
                            "EXPLAIN SELECT code FROM rejections WHERE app_no = 1 AND \(condition) LIMIT 10"
                    )
                )
                #expect(plan.joined().contains(index))
            }
        }
    }
}

/// Goal: what is kept for looking at is deleted at its age, and nothing else is.
@Suite(.enabled(if: TestServer.isThere, "set TEST_DATABASE_URL"), .serialized, .timeLimit(.minutes(2)))
struct ExpirySweepTests {
    private static let fill = """
        INSERT INTO rejections (app_no, received_at, code, partition, message_offset, item_index)
            SELECT 1, timestamptz '2026-10-14 12:00:00+00' + n * interval '1 ms', 'invalid_field', 0, n, 0
            FROM generate_series(0, 24999) n;
        INSERT INTO set_aside_messages (topic, partition, message_offset, reason, set_aside_at)
            SELECT 'events', 0, n, 'empty', timestamptz '2026-10-14 12:00:00+00' + n * interval '1 ms'
            FROM generate_series(0, 9) n;
        """
    private static let startMs: Int64 = 1_791_979_200_000

    @Test func deletesEverythingOlderThanItsBoundAndNothingElse() async throws {
        try await withDatabase { url, connection in
            _ = try await TestApp.make(connection)
            try await connection.script(Self.fill)
            try await withConnection(to: url) { own in
                try await own.script("SET ROLE foreground_aggregator")
                let sweep = ExpirySweep(connection: own)
                let bounds = (rejections: Self.startMs + 24_000, setAside: Self.startMs + 4)
                let summary = try await sweep.run(
                    rejectionsBeforeMs: bounds.rejections,
                    setAsideBeforeMs: bounds.setAside
                )
                #expect(summary == ExpirySweep.Summary(rejections: 24_000, setAside: 4))
                let oldest = try await connection.number("SELECT min(message_offset) FROM rejections LIMIT 1")
                #expect(oldest == 24_000)
                let again = try await sweep.run(
                    rejectionsBeforeMs: bounds.rejections,
                    setAsideBeforeMs: bounds.setAside
                )
                #expect(again == ExpirySweep.Summary())
            }
        }
    }

    @Test func leavesTheWorkToAnotherThatSweeps() async throws {
        try await withDatabase { url, connection in
            _ = try await TestApp.make(connection)
            try await connection.script(Self.fill)
            try await connection.script(
                "BEGIN; SELECT pg_advisory_xact_lock(hashtext('foreground expiry sweep'))"
            )
            try await withConnection(to: url) { own in
                let summary = try await ExpirySweep(connection: own)
                    .run(rejectionsBeforeMs: .max / 2_000_000, setAsideBeforeMs: 0)
                #expect(summary == ExpirySweep.Summary())
            }
        }
    }
}
