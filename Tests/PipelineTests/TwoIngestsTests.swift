import Testing

extension PipelineTests {
    /// Goal: two ingests behind the edge are one to the client: they share an app's limit, and when one dies nothing that was acknowledged is lost.
    @Suite(.enabled(if: Nginx.isThere, "needs nginx")) struct TwoIngestsTests {
        /// The edge knows a client by its address, so each has its own.
        private static func clientAddress(_ number: Int) -> String { "127.78.\(number).\(number * 7 % 250)" }

        private static let clients = 8

        /// Method: eighteen more are claimed to live, so that the two together may pass 200 events a second on any machine.
        @Test func shareTheLimitOfAnApp() async throws {
            try await Stack.run { stack in
                let ingests = [try await stack.start(.ingest), try await stack.start(.ingest)]
                let app = try await stack.createApp()
                for ingest in ingests { try await counts(2, ingest) }
                try await stack.pretendInstances(18, seconds: 3_600)
                for ingest in ingests { try await counts(20, ingest) }
                let key = app.anyKey
                let record = LoadRecord()

                try await Nginx.run(before: ingests.compactMap(\.servicePort), directory: stack.directory) {
                    nginx in
                    let began = ContinuousClock.now
                    try await eachClient { number in
                        let client = LoadClient(
                            port: nginx.port,
                            address: Self.clientAddress(number),
                            key: key,
                            seed: UInt64(number),
                            record: record
                        )
                        for _ in 0..<12 {
                            let batch = client.batch(50)
                            guard client.ask("valid", batch.bytes)?.status == 200 else { continue }
                            record.acknowledge(batch.events.map(\.insertID))
                        }
                    }
                    let seconds = (ContinuousClock.now - began).components.seconds + 1

                    let totals = record.snapshot
                    #expect(Set(totals.statuses.keys) == [200, 429])
                    // Each has a bucket of 100 and 100 a second; one that thought itself alone would pass 2,000 at once.
                    #expect(totals.acknowledged.count >= 200)
                    #expect(totals.acknowledged.count <= 200 + 200 * Int(seconds))
                    for ingest in ingests {
                        #expect(try await ingest.metric("foreground_ingest_batches_accepted_total") ?? 0 >= 2)
                    }
                }
                #expect(Set(try await TopicTool.storedEvents(of: stack).keys) == record.snapshot.acknowledged)
            }
        }

        @Test func loseNothingAcknowledgedWhenOneIsKilled() async throws {
            try await Stack.run { stack in
                let (first, second) = (try await stack.start(.ingest), try await stack.start(.ingest))
                let app = try await stack.createApp()
                for ingest in [first, second] { try await counts(2, ingest) }
                let (record, key) = (LoadRecord(), app.anyKey)
                let ports = [first, second].compactMap(\.servicePort)

                try await Nginx.run(before: ports, directory: stack.directory) { nginx in
                    async let load: Void = eachClient { number in
                        let client = LoadClient(
                            port: nginx.port,
                            address: Self.clientAddress(number),
                            key: key,
                            seed: UInt64(number),
                            record: record
                        )
                        let end = ContinuousClock.now + .seconds(3)
                        while ContinuousClock.now < end {
                            client.deliver(3, until: end + .seconds(20))
                        }
                    }
                    try await wait(until: "both are busy") {
                        let counts = try await [first, second].asyncMap {
                            try await $0.metric("foreground_ingest_batches_accepted_total") ?? 0
                        }
                        return counts.allSatisfy { $0 >= 20 }
                    }
                    try await first.process.kill()
                    let before = record.snapshot.acknowledged.count
                    try await load
                    #expect(record.snapshot.acknowledged.count > before + 100, "the other one goes on")
                }

                let totals = record.snapshot
                #expect(Set(totals.statuses.keys).isSubset(of: [200, 429, 503]), "\(totals.statuses)")
                let stored = Set(try await TopicTool.storedEvents(of: stack).keys)
                #expect(totals.acknowledged.subtracting(stored) == [])
            }
        }

        private func counts(_ count: Double, _ ingest: RunningService) async throws {
            try await wait(until: "\(count) instances are counted") {
                try await ingest.metric("foreground_ingest_live_instances") == count
            }
        }

        private func eachClient(_ body: @escaping @Sendable (Int) -> Void) async throws {
            try await withThrowingTaskGroup { group in
                for number in 1...Self.clients {
                    group.addTask { try await onThread { body(number) } }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension Array {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
