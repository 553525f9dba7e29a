import Glibc
import Testing

extension PipelineTests {
    /// Goal: SIGTERM ends every service with 0, after it has answered what it had taken.
    @Suite struct ShutdownTests {
        @Test func everyServiceExitsWithZero() async throws {
            try await Stack.run([.ingest, .aggregator, .reader, .console]) { stack in
                for name in ServiceName.allCases {
                    let process = try await stack.running(name).process
                    #expect(try await process.terminate() == 0, "\(name)")
                    #expect(process.logged("stopped").count == 1)
                }
            }
        }

        /// Method: a frozen broker keeps the request in flight; its bytes are counted once it was taken.
        @Test(.enabled(if: TestSetting.brokerProgram != nil, "set TEST_BROKER_BIN"))
        func aRequestInFlightIsAnswered() async throws {
            try await withBroker { broker in
                try await Stack.run(brokers: broker.address) { stack in
                    let ingest = try await stack.start(.ingest, ["INGEST_ANSWER_MS_MAX": "30000"])
                    let app = try await stack.createApp()
                    var make = EventMaker(seed: 70)
                    let noon = TestDays().noon(daysAgo: 1)
                    let first = TestBatch(events: make.session(at: noon))
                    #expect(try await stack.post(first, key: app.anyKey).status == 200)
                    let taken = try await ingest.metric("foreground_ingest_body_bytes_total") ?? 0

                    broker.freeze()
                    async let answer = stack.post(TestBatch(events: make.session(at: noon)), key: app.anyKey)
                    try await wait(until: "the request is taken") {
                        try await ingest.metric("foreground_ingest_body_bytes_total") ?? 0 > taken
                    }
                    ingest.process.send(SIGTERM)
                    try await ingest.process.line("stopping")
                    broker.thaw()

                    #expect(try await answer.status == 200)
                    #expect(try await ingest.process.exitCode() == 0)
                }
            }
        }
    }
}
