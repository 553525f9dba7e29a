public import Contracts
import HTTPClient
import JSON
public import ServiceKit

/// Writes to the owner through a Telegram bot.
///
/// The message names the app and the request, never whom it was about. The token is part of the address, so addresses are not logged.
public struct TelegramNotifier: OwnerNotifier {
    private static let triesMax = 3
    private let settings: TelegramSettings
    private let logger: Logger
    private let failures: Counter
    private let pauseMs: Int

    public init(_ settings: TelegramSettings, logger: Logger, failures: Counter, pauseMs: Int = 1_000) {
        self.settings = settings
        self.logger = logger
        self.failures = failures
        self.pauseMs = pauseMs
    }

    public func erasureFailed(appName: String, request: UUID128, attempts: Int) async {
        let text = """
            Foreground: deleting a person's data failed after \(attempts) attempts.
            App: \(appName)
            Request: \(request)
            See it with: fgctl erasure show \(request)
            """
        for attempt in 1...Self.triesMax {
            if attempt > 1 { try? await Task.sleep(for: .milliseconds(pauseMs)) }
            let problem = await send(text)
            guard let problem else { return }
            logger.warn(
                "owner_notice_failed",
                [.requestID: request.description, .reason: problem, .attempt: attempt]
            )
        }
        failures.increment()
    }

    /// Returns what went wrong.
    private func send(_ text: String) async -> String? {
        var body = JSONWriter()
        body.beginObject()
        body.key("chat_id")
        body.string(settings.chatID)
        body.key("text")
        body.string(text)
        body.endObject()
        do throws(PostFailure) {
            let answer = try await HTTPSPoster(caFile: settings.caFile).post(
                body.bytes,
                to: "\(settings.apiURL)/bot\(settings.token.reveal())/sendMessage",
                headers: ["Content-Type: application/json"]
            )
            return (200..<300).contains(answer.status) ? nil : "the bot API answered \(answer.status)"
        } catch {
            return error.description
        }
    }
}
