import Foundation
import Postgres
import Testing

extension PipelineTests {
    /// Goal: what each service does when Postgres is away at its start, and that it says so.
    @Suite struct PostgresAwayTests {
        private func awayURL() throws -> String {
            "postgresql://nobody:nothing@127.0.0.1:\(try freePort())/none"
        }

        private func oneSession(seed: UInt64) -> TestBatch {
            var make = EventMaker(seed: seed)
            return TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1)))
        }

        @Test func ingestServesFromItsSavedRegistry() async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                let app = try await stack.createApp()
                #expect(try await stack.running(.ingest).process.terminate() == 0)

                let ingest = try await stack.start(.ingest, ["DATABASE_URL": try awayURL()])
                let known = try await stack.post(oneSession(seed: 60), key: app.anyKey, to: ingest)
                let unknown = try await stack.post(
                    oneSession(seed: 61),
                    key: "pk_00000000000000000000000000000000",
                    to: ingest
                )

                #expect(known.status == 200)
                #expect(known.json["accepted"] == 2)
                // It may be a key made a minute ago: the client must not be told to give up.
                #expect(unknown.status == 503)
                #expect(unknown.errorCode == "storage_unavailable")
                #expect(unknown.retryAfterSeconds ?? 0 >= 1)
                #expect(ingest.process.logged("registry_not_refreshed").count == 1)
                try await stack.closeDays()
                let reports = try await Reports(stack, app)
                let yesterday = TestDays().date(daysAgo: 1)
                #expect(try await reports.summary(from: yesterday, to: yesterday)["sessions"] == 1)
            }
        }

        @Test func withoutASavedRegistryEveryKeyMustWait() async throws {
            try await Stack.run { stack in
                let app = try await stack.createApp()

                let ingest = try await stack.start(.ingest, ["DATABASE_URL": try awayURL()])
                let answer = try await stack.post(oneSession(seed: 62), key: app.anyKey, to: ingest)

                #expect(answer.status == 503)
                #expect(answer.errorCode == "storage_unavailable")
                #expect(answer.retryAfterSeconds ?? 0 >= 1)
            }
        }

        @Test(arguments: [ServiceName.aggregator, .reader, .console])
        func aServiceThatNeedsPostgresStaysUpAndSaysSo(name: ServiceName) async throws {
            try await Stack.run { stack in
                let service = try await stack.start(name, ["DATABASE_URL": try awayURL()], isReady: false)

                let line = try await service.process.line("postgres_unavailable")
                #expect(line["level"] == "error")
                let readiness = try await service.ops("/readyz")
                #expect(readiness.status == 503)
                #expect(readiness.json["conditions"][0]["name"] == "postgres")
                if name == .reader {
                    let answer = try await stack.read("/v1/apps", key: "sk_any", from: service)
                    #expect(answer.status == 503)
                    #expect(answer.errorCode == "storage_unavailable")
                    #expect(answer.retryAfterSeconds ?? 0 >= 1)
                }
                #expect(service.process.logged("postgres_unavailable").count == 1)
                #expect(!service.process.logText.contains("nothing@"))
                #expect(try await service.process.terminate() == 0)
            }
        }

        @Test func anOutageIsWaitedOutAndNothingIsSkipped() async throws {
            try await Stack.run([.ingest, .aggregator, .reader]) { stack in
                let app = try await stack.createApp()
                var world = World(seed: 63)
                var ledger = Ledger()
                for batch in world.batches(3) {
                    try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
                }
                try await stack.closeDays()

                try await stack.database.setAway(true)
                for batch in world.batches(3) {
                    try ledger.note(batch, try await stack.post(batch, key: app.anyKey))
                }
                let aggregator = try await stack.running(.aggregator)
                try await wait(until: "the aggregator has tried in vain") {
                    try await aggregator.metric("foreground_aggregator_store_failures_total") ?? 0 >= 2
                }
                #expect(try await aggregator.ops("/readyz").status == 503)
                try await stack.database.setAway(false)
                try await stack.closeDays()

                try await ledger.check(against: stack)
                #expect(try await stack.database.count("SELECT count(*) FROM set_aside_messages") == 0)
                #expect(try await aggregator.ops("/readyz").status == 200)
            }
        }
    }
}
