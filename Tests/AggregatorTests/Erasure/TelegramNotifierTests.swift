import AggregatorCore
import Contracts
import ServiceKit
import TestSupport
import Testing

/// The owner hears of a failure, and of nothing personal.
@Suite(.enabled(if: HTTPSStub.isThere, "set TEST_PYTHON, install openssl"), .timeLimit(.minutes(2)))
struct TelegramNotifierTests {
    static let token = "123456:secret-token"

    func notify(path: String = "", _ stub: HTTPSStub) async -> (log: String, failures: String) {
        let log = LogCapture()
        let registry = MetricRegistry()
        let notifier = TelegramNotifier(
            TelegramSettings(
                token: Secret(Self.token),
                chatID: "-100 200",
                apiURL: stub.url + path,
                caFile: stub.caFile
            ),
            logger: log.logger(),
            failures: registry.counter("failures_total", help: "For the test."),
            pauseMs: 1
        )
        await notifier.erasureFailed(appName: "Shop “1”", request: .fixed(1), attempts: 5)
        return (log.lines.joined(separator: "\n"), String(decoding: registry.exposition(), as: UTF8.self))
    }

    @Test func theMessageNamesAppAndRequest() async throws {
        try await HTTPSStub.run { stub in
            let (log, _) = await notify(stub)
            let request = try #require(stub.requests.first)
            #expect(stub.requests.count == 1)
            #expect(request.contains(#""path": "/bot123456:secret-token/sendMessage""#))
            #expect(request.contains(#"\"chat_id\":\"-100 200\""#))
            #expect(request.contains(UUID128.fixed(1).description))
            #expect(request.contains("Shop"))
            #expect(log.isEmpty)
        }
    }

    @Test func aBotThatFailsIsTriedAgain() async throws {
        try await HTTPSStub.run { stub in
            let (log, failures) = await notify(path: "/status/500/twice", stub)
            #expect(stub.requests.count == 3)
            #expect(log.split(separator: "\n").count == 2)
            #expect(failures.contains("failures_total 0"))
        }
    }

    @Test func whatCannotBeSentIsLoggedAndCountedWithoutTheToken() async throws {
        try await HTTPSStub.run { stub in
            let (log, failures) = await notify(path: "/status/403", stub)
            #expect(stub.requests.count == 3)
            #expect(log.contains("owner_notice_failed") && log.contains("403"))
            #expect(!log.contains("secret-token"))
            #expect(failures.contains("failures_total 1"))
        }
    }
}
