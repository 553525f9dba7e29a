import Foundation
import Glibc
import Testing

extension PipelineTests {
    /// Goal: while Kafka is away ingest answers 503 in time, and the same batch is taken and counted once afterwards.
    @Suite(.enabled(if: TestSetting.brokerProgram != nil, "set TEST_BROKER_BIN")) struct BrokerAwayTests {
        private let answerMs = ["INGEST_ANSWER_MS_MAX": "2000"]

        @Test func aBatchRefusedWhileTheBrokerIsFrozenCountsOnce() async throws {
            try await withBroker { broker in
                try await Stack.run([.aggregator, .reader], brokers: broker.address) { stack in
                    let ingest = try await stack.start(.ingest, answerMs)
                    let app = try await stack.createApp()
                    let batch = oneSession(seed: 50)
                    let first = oneSession(seed: 51)
                    #expect(try await stack.post(first, key: app.anyKey).status == 200)

                    broker.freeze()
                    let began = ContinuousClock.now
                    let refused = try await stack.post(batch, key: app.anyKey)
                    let took = ContinuousClock.now - began
                    broker.thaw()

                    expectStorageUnavailable(refused)
                    #expect(took < .seconds(5), "the contract's limit, more than twice the setting")
                    #expect(try await ingest.ops("/healthz").status == 200)
                    try await accept(batch, app, stack)
                    try await expectSessions(2, app, stack)
                }
            }
        }

        @Test func ingestServesBeforeTheBrokerIsThere() async throws {
            try await withDirectory { directory in
                let port = try freePort()
                try await Stack.run(brokers: "127.0.0.1:\(port)", createsTopics: false) { stack in
                    let ingest = try await stack.start(.ingest, answerMs)
                    let line = try await ingest.process.line("kafka_error")
                    #expect(line["level"] == "warn")
                    #expect(ingest.process.logged("kafka_error").count == 1)
                    let app = try await stack.createApp()
                    let batch = oneSession(seed: 52)

                    expectStorageUnavailable(try await stack.post(batch, key: app.anyKey))

                    try await Broker.run(port: port, directory: directory) { _ in
                        try await stack.createTopics()
                        try await accept(batch, app, stack)
                        _ = try await stack.start(.aggregator)
                        _ = try await stack.start(.reader)
                        try await expectSessions(1, app, stack)
                        #expect(try await stack.running(.aggregator).process.terminate() == 0)
                        #expect(try await ingest.process.terminate() == 0)
                    }
                }
            }
        }

        private func oneSession(seed: UInt64) -> TestBatch {
            var make = EventMaker(seed: seed)
            return TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1)))
        }

        private func expectStorageUnavailable(_ answer: HTTPAnswer) {
            #expect(answer.status == 503)
            #expect(answer.errorCode == "storage_unavailable")
            #expect(answer.retryAfterSeconds ?? 0 >= 1)
        }

        /// Sends the identical batch, as a client does, until it is taken.
        private func accept(_ batch: TestBatch, _ app: TestApp, _ stack: Stack) async throws {
            let answer = try await wait(for: "the batch is taken") {
                let answer = try await stack.post(batch, key: app.anyKey)
                return answer.status == 503 ? nil : answer
            }
            #expect(answer.json["accepted"] == 2)
        }

        private func expectSessions(_ count: Int, _ app: TestApp, _ stack: Stack) async throws {
            try await stack.closeDays()
            let reports = try await Reports(stack, app)
            let yesterday = TestDays().date(daysAgo: 1)
            let summary = try await reports.summary(from: yesterday, to: yesterday)
            #expect(summary["sessions"].int == count)
            #expect(summary["active"].int == count)
        }
    }
}
