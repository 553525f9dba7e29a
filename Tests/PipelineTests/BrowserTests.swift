import Kafka
import Testing

extension PipelineTests {
    /// Goal: a page of any site can send events, and its script can read every answer.
    ///
    /// Method: a real Chromium, because what browsers refuse is written nowhere else as exactly.
    @Suite(
        .enabled(
            if: Browser.isThere && TestSetting.python != nil && TestSetting.brokerProgram != nil,
            "install chromium and chromium-driver; set TEST_PYTHON and TEST_BROKER_BIN"
        ),
        .browserStack,
        .serialized
    )
    struct BrowserTests {
        private let world: BrowserWorld

        init() throws { world = try #require(BrowserWorld.current) }

        @Test func aFetchWithTheKeyInAHeaderIsPreflightedOnce() async throws {
            let batches = (1...2).map { session(seed: 600 + $0) }
            var steps = [fetch("first", batches[0]), fetch("second", batches[1])]
            for index in steps.indices { steps[index].urlName = "same" }

            let answers = try await world.browser.perform(steps, at: world.ingest)

            for name in ["first", "second"] { try expectAccepted(answers[name]) }
            // The log names a URL, and both have the same: one preflight for the two.
            #expect(answers["first"]?.preflights == 1)
            #expect(answers["second"]?.preflights == 1)
            try await expectDelivered(batches)
        }

        @Test func plainTextWithTheKeyInTheBodyNeedsNoPreflight() async throws {
            let batch = session(seed: 610)

            let answer = try await perform(BrowserStep(name: "plain", body: withKey(batch)))

            #expect(answer.preflights == 0)
            try expectAccepted(answer)
            try await expectDelivered([batch])
        }

        @Test func aBeaconArrivesWithoutAPreflight() async throws {
            let batch = session(seed: 620)

            let answer = try await perform(BrowserStep(name: "beacon", kind: .beacon, body: withKey(batch)))

            #expect(answer.preflights == 0)
            try await expectDelivered([batch])
        }

        @Test func aBeaconOfAPageThatIsLeftArrives() async throws {
            let batch = session(seed: 630)

            _ = try await perform(BrowserStep(name: "leave", kind: .leave, body: withKey(batch)))

            try await expectDelivered([batch])
        }

        /// Ingest never uses credentials, so such a page gets no answer to read; what it sent counts all the same.
        @Test func aPageThatOffersCredentialsIsHeard() async throws {
            let batch = session(seed: 640)
            var step = BrowserStep(name: "credentials", body: withKey(batch))
            step.credentials = "include"

            #expect(try await perform(step).error != nil)
            try await expectDelivered([batch])
        }

        @Test func aBodyTheBrowserCompressedCounts() async throws {
            let batch = session(seed: 650)
            var step = fetch("gzip", batch)
            step.isGzipped = true
            step.headers["Content-Encoding"] = "gzip"

            let answer = try await perform(step)

            #expect(answer.preflights == 1)
            try expectAccepted(answer)
            try await expectDelivered([batch])
        }

        @Test func everyHeaderTheContractNamesMayBeSent() async throws {
            var step = fetch("headers", session(seed: 660))
            step.headers["Accept-Language"] = "ru"
            step.headers["Content-Encoding"] = "identity"

            try expectAccepted(try await perform(step))
        }

        /// Larger ones are refused while they are being sent, smaller ones after they came whole.
        @Test func everyRefusalCanBeRead() async throws {
            let batch = session(seed: 670)
            let unknown = ["Content-Type": "application/json", "X-App-Key": "pk_unknown"]
            let refusals: [(step: BrowserStep, status: Int, code: String)] = [
                (
                    BrowserStep(name: "not-json", headers: fetch("", batch).headers, body: "{"),
                    400, "invalid_json"
                ),
                (BrowserStep(name: "no-key", body: batch.text), 401, "missing_app_key"),
                (BrowserStep(name: "key", headers: unknown, body: batch.text), 401, "invalid_app_key"),
                (
                    BrowserStep(name: "key-long", headers: unknown, body: batch.text, padTo: 1_000_000),
                    401, "invalid_app_key"
                ),
                (padded("a-byte", batch, 1_048_577), 413, "payload_too_large"),
                (padded("eight-mebibytes", batch, 8 << 20), 413, "payload_too_large"),
                (padded("inflated", batch, 2 << 20, isGzipped: true), 413, "payload_too_large"),
                (BrowserStep(name: "get", method: "GET"), 405, "method_not_allowed"),
            ]

            let answers = try await world.browser.perform(refusals.map(\.step), at: world.ingest)

            for (step, status, code) in refusals {
                let answer = try #require(answers[step.name])
                #expect(answer.status == status, "\(step.name): \(answer.error ?? "")")
                #expect(answer.body["error"]["code"].string == code, "\(step.name)")
                try expectRequestID(answer, "\(step.name)")
            }
        }

        @Test func whileTheBrokerIsAwayAScriptLearnsWhenToTryAgain() async throws {
            let batch = session(seed: 680)

            world.broker.freeze()
            let refused = try await perform(fetch("away", batch))
            world.broker.thaw()

            #expect(refused.status == 503, "\(refused.error ?? "")")
            #expect(refused.body["error"]["code"] == "storage_unavailable")
            #expect(refused.headers["retry-after"].string.flatMap(Int.init) ?? 0 >= 1)
            try expectRequestID(refused, "503")
        }
    }
}

extension PipelineTests.BrowserTests {
    private func session(seed: UInt64) -> TestBatch {
        var make = EventMaker(seed: seed)
        return TestBatch(events: make.session(at: TestDays().noon(daysAgo: 1)))
    }

    private func fetch(_ name: String, _ batch: TestBatch) -> BrowserStep {
        let headers = ["Content-Type": "application/json", "X-App-Key": world.key]
        return BrowserStep(name: name, headers: headers, body: batch.text)
    }

    private func padded(
        _ name: String,
        _ batch: TestBatch,
        _ count: Int,
        isGzipped: Bool = false
    ) -> BrowserStep {
        var step = fetch(name, batch)
        step.padTo = count
        step.isGzipped = isGzipped
        if isGzipped { step.headers["Content-Encoding"] = "gzip" }
        return step
    }

    private func withKey(_ batch: TestBatch) -> String {
        "{\"app_key\":\"\(world.key)\"," + batch.text.dropFirst()
    }

    private func perform(_ step: BrowserStep) async throws -> BrowserAnswer {
        try await world.browser.perform(step, at: world.ingest)
    }

    private func expectAccepted(_ answer: BrowserAnswer?) throws {
        let answer = try #require(answer)
        #expect(answer.status == 200, "\(answer.error ?? "")")
        #expect(answer.body["accepted"] == 2)
        #expect(answer.headers["x-request-id"].string?.count == 26)
    }

    /// The script sees the header, and it is the one of the body.
    private func expectRequestID(_ answer: BrowserAnswer, _ name: Comment) throws {
        let id = try #require(answer.headers["x-request-id"].string, name)
        #expect(answer.body["error"]["request_id"].string == id, name)
    }

    /// Both events of each batch are in the topic, once.
    private func expectDelivered(_ batches: [TestBatch]) async throws {
        for batch in batches {
            let ids = batch.events.map(\.insertID).sorted()
            try await wait(until: "the events are in the topic", seconds: 20) {
                let texts = try await TopicTool.messages(of: world.stack).compactMap(\.payload).map {
                    try JSON(parsing: $0)["events"].list.compactMap { $0["insert_id"].string }
                }
                return texts.flatMap { $0 }.filter { ids.contains($0) }.sorted() == ids
            }
        }
    }
}

extension TestBatch {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// One ingest with a broker that may be stopped, and one browser, for all tests of the suite.
struct BrowserWorld: Sendable {
    @TaskLocal static var current: BrowserWorld?

    let broker: Broker
    let stack: Stack
    let ingest: RunningService
    let browser: Browser
    let key: String
}

struct BrowserTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withBroker { broker in
            try await Stack.run(brokers: broker.address) { stack in
                let ingest = try await stack.start(.ingest, ["INGEST_ANSWER_MS_MAX": "2000"])
                let key = try await stack.createApp(platforms: ["web"]).anyKey
                try await Browser.run { browser in
                    let world = BrowserWorld(
                        broker: broker,
                        stack: stack,
                        ingest: ingest,
                        browser: browser,
                        key: key
                    )
                    try await BrowserWorld.$current.withValue(world) { try await function() }
                }
            }
        }
    }
}

extension Trait where Self == BrowserTrait {
    static var browserStack: Self { BrowserTrait() }
}
