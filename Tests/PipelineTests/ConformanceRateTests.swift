import Postgres
import Testing

extension PipelineTests.ConformanceTests {
    /// Goal: an install has 1,000 events at once and 100 a minute; what is beyond comes back later, and no other install pays.
    @Suite struct InstallLimitTests {
        private static let install = "5f0c1a52-7d0e-4b5c-9a53-0d5f4f2f7a01"

        @Test func beyondTheBurstEventsAreRejectedOneByOne() async throws {
            let world = try Conformance.shared()
            let app = try await world.stack.createApp()
            let key: [(name: String, value: String?)] = [("X-App-Key", app.anyKey)]
            for count in [500, 470] {
                let batch = Draft(events: Draft.starts(count, install: Self.install))
                #expect(try await world.post(batch, key).json["accepted"].int == count)
            }
            // Thirty are left, and those that came back while this ran: one in 0.6 s.
            let last = Draft(events: Draft.starts(500, install: Self.install))

            let answer = try await world.post(last, key)

            #expect(answer.status == 200)
            let accepted = try #require(answer.json["accepted"].int)
            #expect((30..<200).contains(accepted))
            let rejected = answer.json["rejected"].list
            #expect(rejected.map { $0["index"].int } == Array(accepted..<500))
            for told in rejected {
                #expect(told["code"] == "install_rate_limited")
                #expect(told["retryable"] == true)
                #expect(told["field"].string == "events[\(told["index"].int ?? -1)].install_id")
            }
            #expect(rejected.map { $0["insert_id"] } == last.events[accepted...].map { $0["insert_id"] })
            #expect(try await world.stored(last).count == accepted)
            let other = Draft(events: Draft.starts(100))
            #expect(try await world.post(other, key).json["accepted"] == 100)
        }
    }

    /// Goal: an app over its limit gets 429 for the whole batch, with a true pause; nothing of it is stored and nothing is spent.
    ///
    /// Method: many instances are claimed to live, so that this one's share is small and any machine can go beyond it.
    @Suite struct AppLimitTests {
        @Test func beyondItsShareTheWholeBatchIsRefused() async throws {
            try await Stack.run { stack in
                let ingest = try await stack.start(.ingest)
                let app = try await stack.createApp()
                try await stack.pretendInstances(199, seconds: 3_600)
                try await wait(until: "200 instances are counted") {
                    try await ingest.metric("foreground_ingest_live_instances") == 200
                }
                // A full bucket lets one batch through and is then 49 seconds behind: ten events a second.
                let first = Draft(events: Draft.starts(500))
                #expect(try await stack.post(first.bytes, key: app.anyKey).json["accepted"] == 500)

                let install = "5f0c1a52-7d0e-4b5c-9a53-0d5f4f2f7a02"
                var refused: [Draft] = []
                for count in [1, 500, 500, 500] {
                    let batch = Draft(events: Draft.starts(count, install: install))
                    refused.append(batch)
                    let answer = try await stack.post(batch.bytes, key: app.anyKey)
                    #expect(answer.status == 429)
                    #expect(answer.errorCode == "app_rate_limited")
                    #expect(answer.json["error"]["request_id"].string == answer.headers["x-request-id"])
                    // It neither grows by what was refused nor ends before there is room.
                    let seconds = try #require(answer.retryAfterSeconds)
                    #expect((1...50).contains(seconds))
                }

                try await stack.pretendInstances(0, seconds: 0)
                try await wait(until: "it is alone again") {
                    try await ingest.metric("foreground_ingest_live_instances") == 1
                }
                // Had the refused batches cost the install anything, it could not send its 1,000 now.
                for _ in 0..<2 {
                    let batch = Draft(events: Draft.starts(500, install: install))
                    let answer = try await wait(for: "there is room") {
                        let answer = try await stack.post(batch.bytes, key: app.anyKey)
                        return answer.status == 429 ? nil : answer
                    }
                    #expect(answer.json["accepted"] == 500)
                }
                let stored = Set(try await TopicTool.storedEvents(of: stack).keys)
                let ids = refused.flatMap(\.events).compactMap { $0["insert_id"]?.string }
                #expect(stored.isDisjoint(with: ids))
                #expect(stored.count == 1_500)
            }
        }
    }
}

extension Stack {
    /// Claims that so many instances besides the real ones live for so long.
    func pretendInstances(_ count: Int, seconds: Int) async throws {
        try await database.use { connection in
            _ = try await connection.execute(
                "DELETE FROM ingest_instances WHERE instance_id::text LIKE '00000000-%'"
            )
            _ = try await connection.execute(
                """
                INSERT INTO ingest_instances (instance_id, seen_at)
                SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
                    now() + \(seconds) * interval '1 second'
                FROM generate_series(1, \(count)) n
                """
            )
        }
    }
}
