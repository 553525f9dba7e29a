import Foundation
import Kafka
import Testing

extension PipelineTests {
    /// Goal: what operators see of each service, and what neither they nor a log may see.
    @Suite(.stack(.ingest, .aggregator, .reader, .console), .serialized) struct OperationsTests {
        @Test(arguments: ServiceName.allCases)
        func theOperationsPortAnswers(name: ServiceName) async throws {
            let service = try await Stack.shared().running(name)

            #expect(try await service.ops("/healthz").json == ["status": "alive"])
            #expect(try await service.ops("/readyz").json["status"] == "ready")
            let version = try await service.ops("/version")
            #expect(version.json.names == ["service", "version", "build"])
            #expect(version.json["service"] == .text(name.rawValue))
            let metrics = try await service.ops("/metrics")
            #expect(metrics.status == 200)
            #expect(metrics.text.contains("# TYPE "))
        }

        @Test func theConsoleShowsItsPage() async throws {
            let service = try await Stack.shared().running(.console)

            let answer = try await HTTPCall(port: try #require(service.servicePort), target: "/").answer()

            #expect(answer.status == 200)
            #expect(answer.text.contains("Foreground"))
        }

        /// Method: everything that could be written down is sent, accepted, rejected and refused, with the log at its most talkative.
        @Test func nobodyIsFoundInLogsOrMetrics() async throws {
            let stack = try Stack.shared()
            let app = try await stack.createApp(platforms: ["ios", "web"])
            let reports = try await Reports(stack, app)
            stack.keepSecret([HTTPCall.clientAddress, Self.namedAddress])
            try await sendEverything(app, stack)
            try await stack.closeDays()
            let yesterday = TestDays().date(daysAgo: 1)
            #expect(try await reports.summary(from: yesterday, to: yesterday)["sessions"] == 1)
            _ = try await stack.read("/v1/apps/\(app.id)?user=\(Self.user)", key: reports.key)
            _ = try await stack.read("/v1/apps", key: "sk_" + Self.user)

            var texts: [(name: String, text: String)] = []
            for name in ServiceName.allCases {
                let service = try await stack.running(name)
                texts.append(("\(name) metrics", try await service.ops("/metrics").text))
                texts.append(("\(name) log", service.process.logText))
            }

            try #require(stack.secrets.count >= 10)
            for (name, text) in texts {
                try #require(!text.isEmpty)
                for secret in stack.secrets where !secret.isEmpty {
                    let isFound = text.range(of: secret, options: .caseInsensitive) != nil
                    #expect(!isFound, "\(name) shows \(secret)")
                }
            }
        }

        private static let user = "acct_77_never_to_be_logged"
        private static let namedAddress = "203.0.113.77"

        private func sendEverything(_ app: TestApp, _ stack: Stack) async throws {
            var make = EventMaker(seed: 80)
            let noon = TestDays().noon(daysAgo: 1)
            var batch = TestBatch(events: make.session(at: noon, user: Self.user))
            batch.context = ["ip": .text(Self.namedAddress)]
            #expect(try await stack.post(batch, key: app.anyKey).status == 200)

            var rejected = batch
            rejected.events[0].user = Self.user + "@example.com"
            rejected.events[1].durationMs = -1
            #expect(try await stack.post(rejected, key: app.anyKey).json["accepted"] == 0)

            let refused: [(body: [UInt8], key: String, status: Int)] = [
                (Array("{\"user_id\":\"\(Self.user)\"".utf8), app.anyKey, 400),
                (batch.bytes, "pk_" + Self.user, 401),
                (TestBatch(events: []).bytes, app.anyKey, 400),
            ]
            for (body, key, status) in refused {
                let headers = [(name: "X-Forwarded-For", value: Self.namedAddress)]
                #expect(try await stack.post(body, key: key, headers: headers).status == status)
            }
            stack.keepSecret([Self.user])
            try await TopicTool.withProducer(of: stack) { producer in
                try await producer.publish(refused[0].body, key: [1], to: stack.topic)
            }
        }
    }
}
