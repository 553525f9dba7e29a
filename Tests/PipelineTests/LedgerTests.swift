import Foundation
import Glibc
import Kafka
import Postgres
import TestSupport
import Testing

extension PipelineTests {
    /// Goal: whatever happens to aggregators, their database and the network between, every acknowledged event is stored once and counted once.
    ///
    /// Method: load through a real ingest, every 200 written down; meanwhile aggregators are killed, paused, added and removed, Postgres is
    /// restarted cleanly and by force, and its network cut and frozen. Then tables, days and a replay are compared with what was written down.
    /// `FOREGROUND_LONG=1` runs it for minutes.
    @Suite(
        .enabled(
            if: OwnPostgres.isThere && TestSetting.python != nil,
            "set TEST_POSTGRES_BIN and TEST_PYTHON"
        )
    ) struct LedgerTests {
        private static let isLong = ProcessInfo.processInfo.environment["FOREGROUND_LONG"] == "1"
        private static let seconds =
            Double(ProcessInfo.processInfo.environment["FOREGROUND_LOAD_SECONDS"] ?? "")
            ?? (isLong ? 200 : 22)
        private static let clients = 3
        private static let zone = "Pacific/Auckland"

        @Test(arguments: [UInt64(2_026)])
        func everyAcknowledgedEventIsStoredAndCountedOnce(seed: UInt64) async throws {
            try await withDirectory { directory in
                try await OwnPostgres.run(directory: directory) { postgres in
                    let proxy = try await CuttableProxy.start(to: postgres.port, directory: directory)
                    try await Stack.run(databaseServer: postgres.url) { stack in
                        try await run(stack, postgres, proxy, seed: seed)
                    }
                    try await proxy.stop()
                }
            }
        }

        private func run(
            _ stack: Stack,
            _ postgres: OwnPostgres,
            _ proxy: CuttableProxy,
            seed: UInt64
        ) async throws {
            let ingest = try await stack.start(.ingest, ["LOG_LEVEL": "info"])
            let app = try await stack.createApp(timezone: Self.zone)
            let record = LoadRecord()
            let end = ContinuousClock.now + .seconds(Self.seconds)
            var chaos = AggregatorChaos(stack, postgres, proxy, seed: seed)
            try chaos.startFixed()
            async let load: Void = load(ingest, app, record, seed: seed, until: end)
            try await chaos.run(until: end)
            try await load

            try await stack.closeDays()
            try await checkEvents(stack, record.snapshot)
            try await checkOffsets(stack)
            try await checkDays(stack)
            report(record.snapshot, chaos)

            // Once beside the aggregators, and once by themselves from nothing.
            let before = try await digests(stack)
            let replay = try await stack.fgctl("replay", "--from", "0").requireSuccess()
            #expect(replay["new_events"] == 0)
            #expect(try await digests(stack) == before)
            try await chaos.stopFixed()
            try await stack.database.use { try await $0.script("DELETE FROM consumer_offsets") }
            try chaos.startFixed()
            try await stack.closeDays()
            try await checkOffsets(stack)
            #expect(try await digests(stack) == before)
            try await chaos.stopFixed()
        }

        private func load(
            _ ingest: RunningService,
            _ app: TestApp,
            _ record: LoadRecord,
            seed: UInt64,
            until end: ContinuousClock.Instant
        ) async throws {
            try await withThrowingTaskGroup { group in
                for number in 0..<UInt64(Self.clients) {
                    let (port, key) = (ingest.servicePort ?? 0, app.anyKey)
                    group.addTask {
                        try await onThread {
                            var world = World(seed: seed &* 31 &+ number, installs: 500)
                            let client = LoadClient(port: port, key: key, seed: number, record: record)
                            while ContinuousClock.now < end {
                                client.deliver(world.batch(), until: end + .seconds(60))
                                usleep(20_000)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func checkEvents(_ stack: Stack, _ totals: LoadRecord.Totals) async throws {
            let rows = try await stack.database.texts(
                "SELECT insert_id::text FROM events ORDER BY insert_id LIMIT 10000000"
            )
            let stored = Set(rows)
            try #require(totals.acknowledged.count > 1_000)
            #expect(rows.count == stored.count)
            #expect(totals.acknowledged.subtracting(stored).count == 0)
            #expect(stored.subtracting(totals.acknowledged).subtracting(totals.unknown).count == 0)
            #expect(try await stack.database.count("SELECT count(*) FROM set_aside_messages") == 0)
        }

        /// Every message of both topics is stored, and no offset was skipped or taken back.
        private func checkOffsets(_ stack: Stack) async throws {
            let lag = try await wait(for: "everything is stored") {
                let json = try await stack.fgctl("lag").requireSuccess()
                return json["lag_messages"] == 0 ? json : nil
            }
            #expect(lag["lost_messages"] == 0)
            for partition in lag["partitions"].list where partition["log_end"].int ?? 0 > 0 {
                #expect(partition["stored_offset"] == partition["log_end"])
            }
        }

        private func checkDays(_ stack: Stack) async throws {
            let closed = try await DayFigures.closed(stack.database)
            #expect(closed.count > 5)
            let counted = try await DayFigures.counted(stack.database, zone: Self.zone)
            #expect(closed == counted)
        }

        /// Each table as one digest, blocks byte for byte.
        private func digests(_ stack: Stack) async throws -> [String] {
            try await stack.database.use { connection in
                var digests: [String] = []
                for table in [
                    "events", "installs", "users", "user_installs", "contexts", "number_counters",
                    "closed_days",
                    "rejections", "set_aside_messages", "dirty_days",
                ] {
                    digests += try await connection.rows(
                        SQL(
                            unsafe: """
                                SELECT '\(table) ' || count(*) || ' '
                                    || coalesce(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '')
                                FROM \(table) t LIMIT 1
                                """
                        )
                    ) { try $0.string(0) }
                }
                return digests
            }
        }

        private func report(_ totals: LoadRecord.Totals, _ chaos: AggregatorChaos) {
            let actions = chaos.done.map { "\($0.key.rawValue) \($0.value)" }.sorted()
            let statuses = totals.statuses.map { "\($0.key): \($0.value)" }.sorted()
            print(
                "ledger of \(Self.seconds) s: \(totals.acknowledged.count) events acknowledged,",
                "\(totals.unknown.count) unknown; \(statuses.joined(separator: ", "));",
                actions.joined(separator: ", ")
            )
        }
    }
}
