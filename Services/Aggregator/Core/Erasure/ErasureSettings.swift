public import ServiceKit

/// What an operator may change about erasures.
public struct ErasureSettings: Sendable {
    public let hashKey: Secret
    /// Attempts at one request before it counts as failed.
    public let attemptsMax: Int
    /// Nil when nobody is to be told of failures.
    public let telegram: TelegramSettings?

    public init(_ reader: inout SettingsReader) {
        hashKey = reader.secret(
            "ERASURE_HASH_KEY",
            bytesMin: 32,
            help:
                "Key of the hashes by which erased people are recognised. Never change it: they would come back."
        )
        attemptsMax = reader.integer(
            "ERASURE_ATTEMPTS_MAX",
            default: 5,
            in: 1...1_000,
            help: "Attempts at one deletion request before it counts as failed."
        )
        telegram = TelegramSettings.read(&reader)
    }
}

/// How the owner is told.
public struct TelegramSettings: Sendable {
    public let token: Secret
    public let chatID: String
    public let apiURL: String
    public let caFile: String?

    static func read(_ reader: inout SettingsReader) -> TelegramSettings? {
        let token = reader.optionalSecret(
            "TELEGRAM_BOT_TOKEN",
            help: "Bot that tells the owner of deletions that failed; without it nobody is told."
        )
        let chatID = reader.optionalString("TELEGRAM_CHAT_ID", help: "Chat the bot writes to.")
        let apiURL = reader.string(
            "TELEGRAM_API_URL",
            default: "https://api.telegram.org",
            help: "Address of the bot API, with https."
        )
        let caFile = reader.optionalPath(
            "TELEGRAM_CA_FILE",
            help: "Certificates to trust for the bot API in place of the system's, as PEM."
        )
        if !apiURL.hasPrefix("https://") { reader.problem("TELEGRAM_API_URL", "must begin with https://") }
        switch (token, chatID) {
        case (let token?, let chatID?):
            return TelegramSettings(token: token, chatID: chatID, apiURL: apiURL, caFile: caFile)
        case (nil, nil): return nil
        case (_?, nil): reader.problem("TELEGRAM_CHAT_ID", "is not set, although TELEGRAM_BOT_TOKEN is")
        case (nil, _?): reader.problem("TELEGRAM_BOT_TOKEN", "is not set, although TELEGRAM_CHAT_ID is")
        }
        return nil
    }

    public init(token: Secret, chatID: String, apiURL: String, caFile: String?) {
        self.token = token
        self.chatID = chatID
        self.apiURL = apiURL
        self.caFile = caFile
    }
}
