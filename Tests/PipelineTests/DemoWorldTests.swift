import Foundation
import Testing

extension PipelineTests.WholeStackTests {
    /// Goal: the demo world is one that reports are worth looking at, and filling again changes nothing.
    @Suite(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON")) struct DemoWorldTests {
        private let days = TestDays()

        private func demo(_ stack: Stack, _ arguments: [String]) async throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../deploy/lib/demo-world").standardized.path
            let ingest = try await stack.running(.ingest)
            var environment = try stack.fgctlEnvironment()
            environment["INGEST_URL"] = "http://127.0.0.1:\(ingest.servicePort ?? 0)"
            environment["CONSOLE_URL"] = "http://127.0.0.1:1"
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
            environment["PATH"] = "/usr/bin:/bin"
            let process = try ServiceProcess(
                "demo",
                program: try #require(TestSetting.python),
                arguments: [folder, "--state", stack.directory] + arguments,
                environment: environment,
                logPath: stack.directory + "/demo.log"
            )
            guard try await process.exitCode(seconds: 180) == 0 else {
                throw Died(name: "demo", log: process.logText)
            }
        }

        private func app(_ stack: Stack, named name: String) async throws -> TestApp {
            let apps = try await stack.fgctl("app", "list").requireSuccess()["apps"].list
            return TestApp(try #require(apps.first { $0["name"].string == name }))
        }

        @Test func aWorldIsFilledOnceHoweverOften() async throws {
            let stack = try Stack.shared()
            let end = days.date(daysAgo: 3) + "T12:00:00+00:00"
            let options = ["--app", "A world", "--days", "20", "--people", "300", "--until", end]
            try await demo(stack, options)
            let app = try await app(stack, named: "A world")
            let reports = try await Reports(stack, app)
            let range = (from: days.date(daysAgo: 24), to: days.date(daysAgo: 0))
            let first = try await reports.snapshot(from: range.from, to: range.to)

            try await demo(stack, options)

            #expect(try await reports.snapshot(from: range.from, to: range.to) == first)
            let summary = try await reports.summary(from: range.from, to: range.to)
            #expect((200...450).contains(summary["new"].int ?? 0))
            #expect((summary["sessions"].int ?? 0) > (summary["active"].int ?? 0) * 2)
        }

        @Test func itHasPlacesPlatformsAndVersions() async throws {
            let stack = try Stack.shared()
            let end = days.date(daysAgo: 2) + "T12:00:00+00:00"
            try await demo(stack, ["--app", "Places", "--days", "15", "--people", "200", "--until", end])
            let app = try await app(stack, named: "Places")
            let key = try await stack.createReadKey(app: app)

            for (dimension, valuesMin) in [("country", 8), ("city", 12), ("platform", 3), ("app_version", 4)]
            {
                let path =
                    "/v1/apps/\(app.id)/audience/breakdown?dimension=\(dimension)"
                    + "&from=\(days.date(daysAgo: 18))&to=\(days.date(daysAgo: 0))"
                let answer = try await stack.read(path, key: key)
                let values = answer.json["items"].list.compactMap { $0["value"].string }
                #expect(Set(values).count >= valuesMin, "\(dimension): \(answer.text.prefix(300))")
            }
        }

        @Test func aLiveTrickleIsTakenAndSomeOfItTurnedAway() async throws {
            let stack = try Stack.shared()
            try await demo(
                stack,
                ["--app", "Live", "--days", "5", "--people", "150", "--live", "--for", "8", "--rate", "20"]
            )
            let app = try await app(stack, named: "Live")
            let key = try await stack.createReadKey(app: app)

            try await wait(until: "live sessions are seen, and refusals") {
                let now = try await stack.read("/v1/apps/\(app.id)/realtime", key: key).json
                let health = try await stack.read("/v1/apps/\(app.id)/integration/health", key: key).json
                return (now["active_now"].int ?? 0) > 5 && health["reasons"].list.count > 2
            }
        }
    }
}
